import { disturbConnections } from './disturbances.ts'
import type { Fault, FaultContext } from './fault.ts'
import { inFlightOf, type Member } from './members.ts'
import type { TcpProxy } from './tcp-proxy.ts'

/** Between each pair of programs: connections are dropped, delayed, half-closed and cut. */
export const NETWORK_FAULTS: readonly Fault[] = [
  {
    name: 'a disturbed network between the API and Postgres',
    subject: 'API–Postgres',
    // A process with both roles is an API too.
    needsRescue: true,
    maxDuplicates: ({ members }) => inFlightOf(members.filter(isApi)),
    async inject(context) {
      await disturb(context, () => networksOf(context.members.filter(isApi)))
    },
  },
  {
    name: 'a disturbed network between the workers and Postgres',
    subject: 'worker–Postgres',
    needsRescue: true,
    maxDuplicates: ({ members }) => inFlightOf(members),
    async inject(context) {
      await disturb(context, () => networksOf(context.members.filter(isWorker)))
    },
  },
  {
    name: 'a disturbed network between the workers and the receiver',
    subject: 'worker–receiver',
    needsRescue: false,
    maxDuplicates: () => 0,
    async inject(context) {
      const count = await disturb(context, () => [context.receiverNetwork])
      // A connection has one request at a time, whose answer may be lost.
      context.allowDuplicates(count)
    },
  },
  {
    name: 'a disturbed network between the publisher and the API',
    subject: 'publisher–API',
    needsRescue: false,
    maxDuplicates: () => 0,
    async inject(context) {
      await disturb(context, () => [context.apiNetwork])
    },
  },
]

async function disturb({ random }: FaultContext, proxies: () => TcpProxy[]): Promise<number> {
  return await disturbConnections(proxies, random, 3_000 + random() * 7_000)
}

const isApi = ({ role }: Member) => role !== 'worker'
const isWorker = ({ role }: Member) => role !== 'api'
const networksOf = (members: readonly Member[]) => members.map(({ network }) => network)
