import { atPointer } from '../../../src/lib/schema-path.ts'

/** The parts of an OpenAPI document that the reference shows. */
export interface ApiDocument {
  readonly info: { readonly description: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, ApiSchema>>
    readonly parameters: Readonly<Record<string, ApiParameter>>
    readonly responses: Readonly<Record<string, ApiResponse>>
  }
}

export interface ApiSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly description?: string
  readonly readOnly?: boolean
  readonly required?: readonly string[]
  readonly properties?: Readonly<Record<string, ApiSchema>>
  readonly items?: ApiSchema
  readonly enum?: readonly unknown[]
  readonly pattern?: string
  readonly minimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly maxProperties?: number
}

interface Content {
  readonly 'application/json'?: { readonly schema: ApiSchema; readonly example?: unknown }
}

interface ApiParameter {
  readonly name: string
  readonly in: string
  readonly required?: boolean
  readonly description: string
  readonly schema: ApiSchema
  readonly example?: unknown
}

interface ApiResponse {
  readonly description: string
  readonly content?: Content
}

interface ApiOperation {
  readonly operationId: string
  readonly summary: string
  readonly description: string
  readonly parameters?: readonly (ApiParameter | { readonly $ref: string })[]
  readonly requestBody?: { readonly description: string; readonly content: Content }
  readonly responses: Readonly<Record<string, ApiResponse | { readonly $ref: string }>>
}

export type RestOperation = ReturnType<typeof operationsOf>[number]

/** The operations in the order of the document, without references. */
export function operationsOf(document: ApiDocument) {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const { operationId, summary, description, parameters = [], requestBody } = operation
      const json = requestBody?.content['application/json']
      return {
        id: operationId,
        method: method.toUpperCase(),
        path,
        summary,
        description,
        parameters: parameters.map((one) => resolve(document, one)),
        body: json
          ? { description: requestBody.description, schema: json.schema, example: json.example }
          : null,
        answers: Object.entries(operation.responses).map(([status, given]) => {
          const { description, content } = resolve(document, given)
          const { schema, example } = content?.['application/json'] ?? {}
          return { status, description, schema, example }
        }),
      }
    }),
  )
}

/** What a reference names: `#/components/parameters/Limit`. */
export function resolve<Thing extends object>(
  document: ApiDocument,
  given: Thing | { readonly $ref: string },
): Thing {
  return '$ref' in given && typeof given.$ref === 'string'
    ? (atPointer(document, given.$ref.slice(1)) as Thing)
    : (given as Thing)
}
