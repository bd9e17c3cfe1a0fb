import dns from 'node:dns/promises'
import { syncBuiltinESMExports } from 'node:module'

/*
 * Lets a Posthorn process ask the name server in TEST_NAME_SERVER, as if /etc/resolv.conf named it. A process of the tests
 * cannot change that file.
 */
const server = process.env['TEST_NAME_SERVER']
if (server !== undefined) {
  class Resolver extends dns.Resolver {
    constructor(...options: ConstructorParameters<typeof dns.Resolver>) {
      super(...options)
      this.setServers([server as string])
    }
  }
  Object.assign(dns, { Resolver })
  syncBuiltinESMExports()
}
