import { builder } from '../../graphql/builder.ts'
import type { SecondSignature, SignatureHeaders } from './signature-fields.ts'
import {
  CONTENT,
  DESCRIPTIONS,
  HmacAlgorithm,
  SignatureEncoding,
  VALUE,
} from './signature-inputs.ts'

declare module '../../graphql/builder.ts' {
  interface Objects {
    SignatureHeaders: SignatureHeaders
    SecondSignature: SecondSignature
  }
}

builder.objectType('SignatureHeaders', {
  description: 'The names that a webhook gives the three headers of a delivery.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'The header with the id of the delivery.' }),
    timestamp: t.exposeString('timestamp', {
      description: 'The header with the time of the attempt, in seconds.',
    }),
    signature: t.exposeString('signature', { description: 'The header with the signature.' }),
  }),
})

builder.objectType('SecondSignature', {
  description: 'A second signature of each delivery to a webhook. Its secret is never returned.',
  fields: (t) => ({
    header: t.exposeString('header', { description: 'The name of the header.' }),
    algorithm: t.expose('algorithm', {
      type: HmacAlgorithm,
      description: 'The hash function of the HMAC.',
    }),
    encoding: t.expose('encoding', {
      type: SignatureEncoding,
      description: 'How the signature is written.',
    }),
    content: t.exposeString('content', { description: CONTENT }),
    value: t.exposeString('value', { description: VALUE }),
  }),
})

builder.prismaObjectFields('Webhook', (t) => ({
  signatureHeaders: t.field({
    type: 'SignatureHeaders',
    nullable: true,
    description: DESCRIPTIONS.signatureHeaders,
    select: { signatureHeaders: true },
    resolve: ({ signatureHeaders }) => signatureHeaders as SignatureHeaders | null,
  }),
  secondSignature: t.field({
    type: 'SecondSignature',
    nullable: true,
    description: DESCRIPTIONS.secondSignature,
    select: { secondSignature: true },
    resolve: ({ secondSignature }) => secondSignature as SecondSignature | null,
  }),
  signsWithPreviousSecret: t.exposeBoolean('signsWithPreviousSecret', {
    description: DESCRIPTIONS.signsWithPreviousSecret,
  }),
}))
