import { z } from 'zod'
import { HEADER_NAME, HEADER_VALUE } from '../custom-headers.ts'
import { templateProblem } from './template.ts'

export const HMAC_ALGORITHMS = ['sha256', 'sha1', 'sha512'] as const
export const SIGNATURE_ENCODINGS = ['hex', 'base64'] as const

export const CONTENT_PLACEHOLDERS = ['id', 'timestamp', 'body'] as const
export const VALUE_PLACEHOLDERS = ['id', 'timestamp', 'signature'] as const

export const MAX_HEADER_NAME = 128
export const MAX_TEMPLATE = 256
export const MAX_SECOND_SECRET = 256

const headerName = z
  .string('must be a string')
  .regex(
    HEADER_NAME,
    'must have only letters, digits and the symbols that HTTP allows in header names',
  )
  .max(MAX_HEADER_NAME, `must have at most ${MAX_HEADER_NAME} characters`)

const CONTROL_CHARACTER = /(?!\n)\p{Cc}/u

const content = template(CONTENT_PLACEHOLDERS, 'body').refine(
  (text) => !CONTROL_CHARACTER.test(text),
  'must not contain control characters except line feeds',
)
const value = template(VALUE_PLACEHOLDERS, 'signature').refine(
  (text) => HEADER_VALUE.test(text),
  'must be visible ASCII, with spaces and tabs only between visible characters',
)

/**
 * How deliveries are signed beside the contract, with the rules of each field. Only GraphQL sets them. Without a secret,
 * the second signature keeps the stored one.
 */
export const signatureFields = {
  signatureHeaders: z
    .object({ id: headerName, timestamp: headerName, signature: headerName })
    .nullable(),
  secondSignature: z
    .object({
      header: headerName,
      algorithm: z.enum(HMAC_ALGORITHMS, `must be one of ${HMAC_ALGORITHMS.join(', ')}`),
      encoding: z.enum(SIGNATURE_ENCODINGS, `must be one of ${SIGNATURE_ENCODINGS.join(', ')}`),
      content,
      value,
      secret: z
        .string('must be a string')
        .min(1, 'must have at least 1 character')
        .max(MAX_SECOND_SECRET, `must have at most ${MAX_SECOND_SECRET} characters`)
        .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')
        .nullish(),
    })
    .nullable(),
  signsWithPreviousSecret: z
    .boolean('must be true or false')
    .nullable()
    .transform((signs) => signs ?? false),
}

export type SignatureHeaders = NonNullable<z.output<typeof signatureFields.signatureHeaders>>
export type GivenSecondSignature = NonNullable<z.output<typeof signatureFields.secondSignature>>
/** As it is stored, beside its secret. */
export type SecondSignature = Omit<GivenSecondSignature, 'secret'>

function template(placeholders: readonly string[], required: string) {
  return z
    .string('must be a string')
    .max(MAX_TEMPLATE, `must have at most ${MAX_TEMPLATE} characters`)
    .superRefine((text, context) => {
      const message = templateProblem(text, placeholders, required)
      if (message !== null) {
        context.addIssue({ code: 'custom', params: { code: 'invalid_value' }, message })
      }
    })
}
