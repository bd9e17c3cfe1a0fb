import { readFile } from 'node:fs/promises'
import type { Settings } from '../config/settings.ts'
import { USER_AGENT } from '../lib/version.ts'
import {
  createHttpSender,
  type HttpSender,
  type HttpSenderOptions,
} from '../outbound/http-sender.ts'
import type { SendMail } from '../outbound/mail.ts'
import { createAddressGuard } from '../outbound/public-address.ts'

/** Null without a mail server: then the package is not loaded. */
export async function openMailer(settings: Settings): Promise<SendMail | null> {
  const { smtpUrl } = settings.secrets
  const from = settings.config.emailFrom
  if (smtpUrl === null || from === null) return null
  const { createMailer } = await import('../outbound/mailer.ts')
  return createMailer({ url: smtpUrl, from, caPem: await readAuthorities(settings) })
}

async function readAuthorities({ config, trustedAuthorities = [] }: Settings): Promise<string[]> {
  const file = config.egressCaFile
  return [...trustedAuthorities, ...(file ? [await readFile(file, 'utf8')] : [])]
}

/** The sender of an installation, with its address guard, certificate authorities and proxy. */
export async function openSender(
  settings: Settings,
  limits: Partial<HttpSenderOptions> = {},
): Promise<HttpSender> {
  const { config, secrets } = settings
  return createHttpSender({
    guard: createAddressGuard(config.egressAllow),
    userAgent: USER_AGENT,
    caPem: await readAuthorities(settings),
    acknowledgeTimeoutMs: config.attemptTimeoutMs,
    ...(secrets.egressProxy !== null && { proxyUrl: secrets.egressProxy }),
    ...limits,
  })
}
