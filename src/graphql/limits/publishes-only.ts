import { type DocumentNode, getOperationAST, Kind, OperationTypeNode } from 'graphql'

const PUBLISHING: ReadonlySet<string> = new Set(['publishEvent', 'publishEvents'])

/** Whether an operation is a mutation that only publishes events. */
export function publishesOnly(document: DocumentNode, operationName: string | undefined): boolean {
  const operation = getOperationAST(document, operationName)
  if (operation?.operation !== OperationTypeNode.MUTATION) return false
  return operation.selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && PUBLISHING.has(selection.name.value),
  )
}

export function isDocument(result: unknown): result is DocumentNode {
  return typeof result === 'object' && result !== null && 'definitions' in result
}
