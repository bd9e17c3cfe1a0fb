import { createHmac, createSecretKey } from 'node:crypto'
import type { SecondSignature } from './signature-fields.ts'
import { parseTemplate, type Template } from './template.ts'

/** Signs a delivery by the template of its webhook. */
export interface SecondSigner {
  readonly header: string
  /** The value of the header. */
  readonly sign: (id: string, timestamp: string, body: Uint8Array) => string
}

/** `secret` is the key of the HMAC, byte by byte: it is not decoded. */
export function createSecondSigner(
  { header, algorithm, encoding, content, value }: SecondSignature,
  secret: Buffer,
): SecondSigner {
  const key = createSecretKey(secret)
  const [contentParts, valueParts] = [parseTemplate(content), parseTemplate(value)]
  return {
    header,
    sign(id, timestamp, body) {
      const hmac = createHmac(algorithm, key)
      for (const part of filled(contentParts, { id, timestamp, body })) hmac.update(part)
      const signature = hmac.digest(encoding)
      return filled(valueParts, { id, timestamp, signature }).join('')
    },
  }
}

function filled<Value>(
  template: Template,
  values: Readonly<Record<string, Value>>,
): (string | Value)[] {
  return template.map((part) =>
    typeof part === 'string' ? part : (values[part.placeholder] as Value),
  )
}
