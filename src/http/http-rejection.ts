import type { FieldError } from './field-error.ts'
import type { ProblemKind } from './problem-kind.ts'

/** Rejects something that only HTTP has: a method, a media type, a header or a parameter. */
export class HttpRejection extends Error {
  override readonly name = 'HttpRejection'
  readonly kind: ProblemKind
  readonly errors?: readonly FieldError[]
  readonly headers: Readonly<Record<string, string>>

  constructor(
    kind: ProblemKind,
    detail: string,
    options: { errors?: readonly FieldError[]; headers?: Record<string, string> } = {},
  ) {
    super(detail)
    this.kind = kind
    if (options.errors) this.errors = options.errors
    this.headers = options.headers ?? {}
  }

  get detail(): string {
    return this.message
  }
}
