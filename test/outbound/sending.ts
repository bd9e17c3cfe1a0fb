import type { LookupAddress } from 'node:dns'
import { expect, onTestFinished } from 'vitest'
import {
  createHttpSender,
  type HttpRequest,
  type HttpSender,
  type HttpSenderOptions,
} from '../../src/outbound/http-sender.ts'
import type { Answered, Outcome } from '../../src/outbound/outcome.ts'
import { createAddressGuard } from '../../src/outbound/public-address.ts'
import { until } from '../support/until.ts'
import { createTestAuthority, type KeyAndCertificate } from './certificates.ts'
import { type Answer, openTlsServer } from './tls-receiver.ts'

export const authority = await createTestAuthority()

export const certificate = await authority.issue(['receiver.test', 'localhost', '127.0.0.1'])

export const LOOPBACK: LookupAddress = { address: '127.0.0.1', family: 4 }

/** The timing of a request that did not wait and was not resent. */
export const TIMING = {
  durationMs: expect.any(Number),
  resent: false,
  connection: expect.any(Object),
}

/** The outcome for an address that is not public. */
export const REFUSED = {
  ...{ kind: 'failed', code: 'address_not_public', reason: expect.any(String) },
  ...TIMING,
}

/** Trusts the test authority, may connect to loopback, and resolves every name to it. Closed at the end of the test. */
export function openSender(options: Partial<HttpSenderOptions> = {}): HttpSender {
  const sender = createHttpSender({
    guard: createAddressGuard(['127.0.0.0/8']),
    userAgent: 'Posthorn/test',
    caPem: [authority.pem],
    lookup: async () => [LOOPBACK],
    ...options,
  })
  onTestFinished(() => sender.close())
  return sender
}

export const openReceiver = (answer?: Answer, identity: KeyAndCertificate = certificate) =>
  openTlsServer(identity, answer)

export function post(
  sender: HttpSender,
  receiver: { readonly port: number },
  request: Partial<HttpRequest> = {},
): Promise<Outcome> {
  return sender.send({
    organizationId: 'org_1',
    url: `https://receiver.test:${receiver.port}/hooks`,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"id":"evt_1"}'),
    ...request,
  })
}

export function assertAnswered(outcome: Outcome): asserts outcome is Answered {
  if (outcome.kind !== 'answered') throw new Error(`Not answered: ${JSON.stringify(outcome)}`)
}

export async function poll(isTrue: () => boolean): Promise<void> {
  await until(isTrue, 'it becomes true')
}
