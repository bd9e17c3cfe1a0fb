/**
 * Loaded into a server ahead of its own program: the receivers of `world.ts` have names below `.example`, and live on
 * this machine.
 */
import { Resolver } from 'node:dns/promises'

const { resolve4, resolve6 } = Resolver.prototype
const isOfWorld = (hostname: string) => hostname.endsWith('.example')

Object.assign(Resolver.prototype, {
  async resolve4(this: Resolver, hostname: string) {
    return isOfWorld(hostname) ? ['127.0.0.1'] : await Reflect.apply(resolve4, this, [hostname])
  },
  async resolve6(this: Resolver, hostname: string) {
    return isOfWorld(hostname) ? [] : await Reflect.apply(resolve6, this, [hostname])
  },
})
