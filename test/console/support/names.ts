/**
 * Loaded into a server ahead of its own program: the receivers of `world.ts` have names below `.example`, and live on
 * this machine.
 */
import { Resolver } from 'node:dns/promises'

const { resolve4, resolve6 } = Resolver.prototype
const isOfWorld = (hostname: string) => hostname.endsWith('.example')

Object.assign(Resolver.prototype, {
  async resolve4(this: Resolver, hostname: string) {
    return isOfWorld(hostname) ? ['127.0.0.1'] : await resolve4.call(this, hostname)
  },
  async resolve6(this: Resolver, hostname: string) {
    return isOfWorld(hostname) ? [] : await resolve6.call(this, hostname)
  },
})
