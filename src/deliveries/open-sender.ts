import { readFile } from 'node:fs/promises'
import type { Settings } from '../config/settings.ts'
import { USER_AGENT } from '../lib/version.ts'
import {
  createHttpSender,
  type HttpSender,
  type HttpSenderOptions,
} from '../outbound/http-sender.ts'
import { createAddressGuard } from '../outbound/public-address.ts'

/** The sender of an installation, with its address guard, certificate authorities and proxy. */
export async function openSender(
  { config, secrets, trustedAuthorities = [] }: Settings,
  limits: Partial<HttpSenderOptions> = {},
): Promise<HttpSender> {
  const file = config.egressCaFile
  return createHttpSender({
    guard: createAddressGuard(config.egressAllow),
    userAgent: USER_AGENT,
    caPem: [...trustedAuthorities, ...(file ? [await readFile(file, 'utf8')] : [])],
    acknowledgeTimeoutMs: config.attemptTimeoutMs,
    ...(secrets.egressProxy !== null && { proxyUrl: secrets.egressProxy }),
    ...limits,
  })
}
