import { builder } from '../../graphql/builder.ts'
import {
  CONTENT_PLACEHOLDERS,
  MAX_HEADER_NAME,
  MAX_SECOND_SECRET,
  MAX_TEMPLATE,
  VALUE_PLACEHOLDERS,
} from './signature-fields.ts'

const OUTSIDE = 'Outside the contract of deliveries, for receivers of a former sender.'
const listOf = (names: readonly string[]) => names.map((name) => `\`{${name}}\``).join(', ')

export const DESCRIPTIONS = {
  signatureHeaders: `The names of the id, timestamp and signature headers, such as \`svix-id\`, in the place of the usual ones. Null, the default: the names of the installation. ${OUTSIDE}`,
  secondSignature: `A second signature in a header of its own, by a template, such as that of Stripe or GitHub. Null, the default: none. ${OUTSIDE}`,
  signsWithPreviousSecret: `Whether the secrets that were rotated less than 24 hours ago sign, too: the signature header then has a signature by each valid secret, the current one first, so that receivers can switch at any time. Default: false. ${OUTSIDE}`,
} as const

const SIGNATURE_HEADER = `A header name of at most ${MAX_HEADER_NAME} characters: not that of another header of the delivery, and none that Posthorn or the connection sets.`
export const CONTENT = `What is signed: at most ${MAX_TEMPLATE} characters, with the placeholders ${listOf(CONTENT_PLACEHOLDERS)}, of which \`{body}\` is needed: \`{timestamp}.{body}\`. The timestamp has seconds.`
export const VALUE = `The value of the header: at most ${MAX_TEMPLATE} visible ASCII characters, with the placeholders ${listOf(VALUE_PLACEHOLDERS)}, of which \`{signature}\` is needed: \`t={timestamp},v1={signature}\`.`
const SECRET = `The key of the HMAC: the bytes of this text of 1 to ${MAX_SECOND_SECRET} characters, without any decoding. It is encrypted at rest, and never returned.`

export const HmacAlgorithm = builder.enumType('HmacAlgorithm', {
  description: 'The hash function of an HMAC.',
  values: {
    SHA256: { value: 'sha256', description: 'HMAC-SHA256.' },
    SHA1: { value: 'sha1', description: 'HMAC-SHA1, only for receivers that know no other.' },
    SHA512: { value: 'sha512', description: 'HMAC-SHA512.' },
  } as const,
})

export const SignatureEncoding = builder.enumType('SignatureEncoding', {
  description: 'How the bytes of a signature are written.',
  values: {
    HEX: { value: 'hex', description: 'Lower-case hexadecimal.' },
    BASE64: { value: 'base64', description: 'Base64 with padding.' },
  } as const,
})

const SignatureHeadersInput = builder.inputType('SignatureHeadersInput', {
  description: 'Names for the three headers of a delivery.',
  fields: (t) => ({
    id: t.string({ required: true, description: SIGNATURE_HEADER }),
    timestamp: t.string({ required: true, description: SIGNATURE_HEADER }),
    signature: t.string({ required: true, description: SIGNATURE_HEADER }),
  }),
})

const SecondSignatureInput = builder.inputType('SecondSignatureInput', {
  description: 'A second signature of each delivery.',
  fields: (t) => ({
    header: t.string({ required: true, description: SIGNATURE_HEADER }),
    algorithm: t.field({
      type: HmacAlgorithm,
      required: true,
      defaultValue: 'sha256',
      description: 'The hash function of the HMAC. Default: SHA256.',
    }),
    encoding: t.field({
      type: SignatureEncoding,
      required: true,
      defaultValue: 'hex',
      description: 'How the signature is written. Default: HEX.',
    }),
    content: t.string({ required: true, description: CONTENT }),
    value: t.string({ required: true, description: VALUE }),
    secret: t.string({
      description: `${SECRET} Omitted or null: the stored secret stays; a new second signature needs one.`,
    }),
  }),
})

type InputFields = Parameters<Parameters<typeof builder.inputType>[1]['fields']>[0]

/** The fields of the inputs that create or change a webhook. */
export function signatureInputFields(t: InputFields) {
  return {
    signatureHeaders: t.field({
      type: SignatureHeadersInput,
      description: DESCRIPTIONS.signatureHeaders,
    }),
    secondSignature: t.field({
      type: SecondSignatureInput,
      description: DESCRIPTIONS.secondSignature,
    }),
    signsWithPreviousSecret: t.boolean({ description: DESCRIPTIONS.signsWithPreviousSecret }),
  }
}
