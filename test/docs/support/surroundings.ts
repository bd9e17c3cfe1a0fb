/** What the program of a reader has around a block, by a part of the block. */
export const SURROUNDINGS: readonly {
  readonly page: string
  readonly part: string
  /** The name of the block as a module, for the blocks that import it. */
  readonly file?: string
  /** Code that declares the names that the block uses. */
  readonly code?: string
}[] = [
  {
    page: 'docs/guides/frontends.md',
    part: 'body: JSON.stringify({ query, variables })',
    code: "var token = '', query = '', variables = {}",
  },
  {
    page: 'docs/guides/frontends.md',
    part: 'token ??= await requestToken()',
    code: `
var token = ''
var requestToken = async () => 'phs_'
var post = async (...all) => ({ data: {}, errors: [{ extensions: { code: '' } }] })`,
  },
  {
    page: 'docs/guides/typed-events.md',
    part: 'export interface OrderPaid',
    file: 'order.paid',
  },
  {
    page: 'docs/guides/typed-events.md',
    part: "from './order.paid'",
    code: `
declare const body: Uint8Array
declare const headers: Headers
declare const secret: string`,
  },
]
