import { readFile } from 'node:fs/promises'

/**
 * `node test/bench/summarize-profile.ts FILE.cpuprofile` prints the CPU time of a process by owner of the code and by
 * function, as shares of its busy time.
 */
const [file] = process.argv.slice(2)
if (!file) throw new Error('Give a .cpuprofile file, such as one written with --profile.')

/** https://chromedevtools.github.io/devtools-protocol/tot/Profiler/#type-Profile */
interface Profile {
  readonly nodes: readonly ProfileNode[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

interface ProfileNode {
  readonly id: number
  readonly callFrame: { functionName: string; url: string; lineNumber: number }
  readonly children?: readonly number[]
}

const OWNERS: readonly (readonly [RegExp, string])[] = [
  [/^node:internal\/crypto|^node:crypto/, 'node: signing and hashing'],
  [/^node:internal\/deps\/undici/, 'node: fetch (Request, Response, Headers)'],
  [/^node:.*webstreams/, 'node: web streams'],
  [/^node:(internal\/)?(buffer|string_decoder|encoding)/, 'node: buffers and text'],
  [/^node:(internal\/)?(events|event_target|abort_controller)/, 'node: events'],
  [/^node:internal\/(modules|vm|bootstrap)|^node:vm/, 'node: loading modules'],
  [/^node:.*(tls|net|stream|dgram)/, 'node: sockets, TLS and streams'],
  [/^node:.*(timers|task_queues|async_hooks|promise)/, 'node: timers and promises'],
  [/^node:.*http/, 'node: http'],
  [/^node:/, 'node: other'],
  [/node_modules\/((@[^/]+\/)?[^/]+)/, ''],
  [/\/src\/(\w+)\//, ''],
  [/\/src\//, 'src'],
]

const profile: Profile = JSON.parse(await readFile(file, 'utf8'))
const { byOwner, byFunction, busyUs } = summarize(profile)
print('by owner', byOwner, 20)
print('by function', byFunction, 40)

function summarize({ nodes, samples, timeDeltas }: Profile) {
  const selfUs = new Map<number, number>()
  for (const [i, id] of samples.entries()) {
    selfUs.set(id, (selfUs.get(id) ?? 0) + (timeDeltas[i + 1] ?? 0))
  }
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const byOwner = new Map<string, number>()
  const byFunction = new Map<string, number>()
  let busyUs = 0
  const visit = (node: ProfileNode, callerOwner: string) => {
    const owner = ownerOf(node, callerOwner)
    const us = selfUs.get(node.id) ?? 0
    if (owner !== '(idle)') {
      busyUs += us
      add(byOwner, owner, us)
      add(byFunction, `${owner}: ${node.callFrame.functionName || '(anonymous)'}`, us)
    }
    for (const id of node.children ?? []) visit(byId.get(id) as ProfileNode, owner)
  }
  visit(nodes[0] as ProfileNode, 'node: other')
  return { byOwner, byFunction, busyUs }
}

/** Native functions have no file, so their time counts for their caller. */
function ownerOf({ callFrame: { url, functionName } }: ProfileNode, callerOwner: string): string {
  if (url === '') return /^\(\w.*\)$/.test(functionName) ? functionName : callerOwner
  for (const [pattern, owner] of OWNERS) {
    const match = pattern.exec(url)
    if (match) return owner || (url.includes('node_modules/') ? `${match[1]}` : `src/${match[1]}`)
  }
  return url
}

function add(totals: Map<string, number>, name: string, us: number): void {
  totals.set(name, (totals.get(name) ?? 0) + us)
}

function print(title: string, totals: Map<string, number>, maxRows: number): void {
  console.log(`\n${title}, of ${(busyUs / 1e6).toFixed(2)} s`)
  const sorted = [...totals].toSorted(([, a], [, b]) => b - a).slice(0, maxRows)
  for (const [name, us] of sorted) {
    console.log(`${((us / busyUs) * 100).toFixed(1).padStart(6)} %  ${name}`)
  }
}
