/** Preloaded into a server: resolves the names below `.example`, which `fake-endpoints.ts` serves, to this machine. */
import { Resolver } from 'node:dns/promises'

const { resolve4, resolve6 } = Resolver.prototype
const isFake = (hostname: string) => hostname.endsWith('.example')

Object.assign(Resolver.prototype, {
  async resolve4(this: Resolver, hostname: string) {
    return isFake(hostname) ? ['127.0.0.1'] : await Reflect.apply(resolve4, this, [hostname])
  },
  async resolve6(this: Resolver, hostname: string) {
    return isFake(hostname) ? [] : await Reflect.apply(resolve6, this, [hostname])
  },
})
