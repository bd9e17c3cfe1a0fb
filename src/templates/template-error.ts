import type { IssueCode } from '../lib/issue-codes.ts'

/** What is wrong at a place of a template. `rule` follows the name of the field, and `remedy` the place. */
export class TemplateError extends Error {
  readonly position: number
  readonly code: IssueCode
  readonly remedy: string

  constructor(position: number, rule: string, remedy: string, code: IssueCode = 'malformed') {
    super(rule)
    this.position = position
    this.code = code
    this.remedy = remedy
  }
}

/** `line 3, column 12`: both count from 1, and columns are UTF-16 units, as in editors. */
export function placeIn(text: string, position: number): string {
  const before = text.slice(0, position)
  const line = before.split('\n').length
  return `line ${line}, column ${position - before.lastIndexOf('\n')}`
}
