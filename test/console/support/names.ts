/**
 * Loaded into a server ahead of its own program: the receivers of `world.ts` have names below `.example`, and live on
 * this machine.
 */
import dns from 'node:dns/promises'

const ask = dns.lookup as (hostname: string, options: object) => Promise<unknown>
const known = async (hostname: string, options: object) =>
  hostname.endsWith('.example') ? await ask('127.0.0.1', options) : await ask(hostname, options)
dns.lookup = known as typeof dns.lookup
