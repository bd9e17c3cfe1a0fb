import { type Answer, Line, type Tenant, type Waiter } from './line.ts'

/** Who wants to send: a delivery of a webhook of an organization. */
export interface Entrant {
  readonly webhookId: string
  readonly organizationId: string
  /** Attempts under way at once to the webhook. */
  readonly maxInFlight: number
}

export interface GateOptions {
  /** Attempts under way at once. */
  readonly capacity: number
  /** A webhook that is over its cap does not move: what waits for it is turned away, and more need not come. */
  readonly onCrowded: (webhookId: string) => void
  /** A webhook that had a line has room for more. */
  readonly onRoom: (webhookId: string) => void
  /** In milliseconds, from any moment on. */
  readonly now?: () => number
}

/**
 * Lets the attempts of a process through, at most `capacity` at once, and fairly: organizations take turns, and so do
 * the webhooks of each. A webhook has at most its cap under way. An organization always leaves some places free (see
 * `SHARE_OF_FREE`), so that one that comes later finds them.
 *
 * Who has to wait does so here for a moment only. What does not move is turned away, so that a receiver that hangs
 * never fills the gate.
 */
export class Gate {
  readonly #options: GateOptions
  readonly #now: () => number
  readonly #lines = new Map<string, Line>()
  readonly #tenants = new Map<string, Tenant>()
  /** Those with somebody who may enter, the next one first. */
  readonly #ready = new Set<Tenant>()
  #lined: ReadonlySet<string> = new Set()
  #inFlight = 0
  #waiting = 0
  #open = true

  constructor(options: GateOptions) {
    this.#options = options
    this.#now = options.now ?? (() => performance.now())
  }

  get inFlight(): number {
    return this.#inFlight
  }

  get waiting(): number {
    return this.#waiting
  }

  /** Whoever is answered `enter` must `leave`. */
  enter(entrant: Entrant): Promise<Answer> | Answer {
    if (!this.#open) return 'turned away'
    const line = this.#lineOf(entrant)
    if (line.crowded && line.held >= 2 * line.target(this.#options.capacity)) return 'turned away'
    if (line.waiting.length === 0 && line.hasRoom && this.#maySend(line.tenant)) {
      this.#start(line)
      return 'enter'
    }
    const { promise, resolve } = Promise.withResolvers<Answer>()
    line.waiting.push({ since: this.#now(), answer: resolve })
    this.#countWaiting(line.tenant, 1)
    this.#makeReady(line)
    // Its cap may have been raised just now: then those before it need not wait until somebody leaves.
    if (line.hasRoom && this.#maySend(line.tenant)) this.#letIn()
    return promise
  }

  leave({ webhookId }: Entrant): void {
    const line = this.#lines.get(webhookId) as Line
    line.inFlight -= 1
    line.finished += 1
    line.tenant.inFlight -= 1
    this.#inFlight -= 1
    this.#makeReady(line)
    this.#letIn()
    if (line.crowded && line.held <= line.target(this.#options.capacity) / 2) {
      this.#options.onRoom(webhookId)
    }
  }

  /** Counts one that will come later, at the moment that it was given. Answers `false` where it must not. */
  expect(entrant: Entrant): boolean {
    if (!this.#open) return false
    const line = this.#lineOf(entrant)
    if (line.expected >= 2 * line.target(this.#options.capacity)) return false
    if (this.#crowds(line.tenant)) return false
    line.expected += 1
    this.#countWaiting(line.tenant, 1)
    return true
  }

  /** It is here, or does not come. */
  expectNoMore({ webhookId }: Entrant): void {
    const line = this.#lines.get(webhookId) as Line
    line.expected -= 1
    this.#countWaiting(line.tenant, -1)
  }

  /** How many more deliveries of a webhook can be of use here now. */
  roomFor(webhookId: string, maxInFlight: number): number {
    const line = this.#lines.get(webhookId)
    if (!line) return 2 * maxInFlight
    return Math.max(0, line.target(this.#options.capacity) - line.held)
  }

  /** How many more of all webhooks of an organization can: those that may be sent, and a few that wait. */
  roomOf(organizationId: string): number {
    const { capacity } = this.#options
    const { inFlight, waiting } = this.#tenants.get(organizationId) ?? NOBODY
    const others = this.#inFlight - inFlight
    const share = Math.ceil(((capacity - others) * SHARE_OF_FREE) / (SHARE_OF_FREE + 1))
    const mayWait = Math.floor((capacity - (this.#waiting - waiting)) / 2)
    return Math.max(0, share - inFlight + mayWait - waiting)
  }

  /** Says which webhooks have a line now, all of them. */
  setLined(webhookIds: ReadonlySet<string>): void {
    this.#lined = webhookIds
    for (const line of this.#lines.values()) line.crowded = webhookIds.has(line.webhookId)
  }

  /** Turns away all who wait for a webhook. */
  turnAway(webhookId: string, keep = 0): void {
    const line = this.#lines.get(webhookId)
    if (!line) return
    line.crowded = true
    this.#answerAll(line, line.waiting.splice(keep))
  }

  /** To be called ten times a second: measures how fast each webhook goes, and finds those that do not move. */
  tick(): void {
    const now = this.#now()
    for (const line of this.#lines.values()) {
      line.measure()
      if (!line.hasRoom && line.hasStalled(now)) this.#relieve(line)
      if (line.isIdle) this.#forget(line)
    }
    this.#relieveTenants(now)
  }

  /** Turns away all who wait. */
  turnAllAway(): void {
    for (const { webhookId } of this.#lines.values()) this.turnAway(webhookId)
  }

  /** Turns away who waits, and whoever comes. */
  close(): void {
    this.#open = false
    this.turnAllAway()
  }

  #maySend({ inFlight }: Tenant): boolean {
    const free = this.#options.capacity - this.#inFlight
    return inFlight < SHARE_OF_FREE * free
  }

  #start(line: Line): void {
    line.inFlight += 1
    line.tenant.inFlight += 1
    this.#inFlight += 1
  }

  /** One of each organization after the other, one of each of its webhooks after the other. */
  #letIn(): void {
    let refused = 0
    while (refused < this.#ready.size) {
      const tenant = takeFirst(this.#ready)
      if (this.#maySend(tenant)) this.#letInOne(tenant)
      else refused += 1
      if (tenant.ready.size > 0) this.#ready.add(tenant)
    }
  }

  #letInOne(tenant: Tenant): void {
    const line = takeFirst(tenant.ready)
    // Its cap may have been lowered since it was ready.
    if (!line.hasRoom) return
    const waiter = line.waiting.shift() as Waiter
    this.#countWaiting(tenant, -1)
    this.#start(line)
    if (line.hasRoom && line.waiting.length > 0) tenant.ready.add(line)
    waiter.answer('enter')
  }

  #makeReady(line: Line): void {
    if (line.waiting.length === 0 || !line.hasRoom) return
    line.tenant.ready.add(line)
    this.#ready.add(line.tenant)
  }

  /** It keeps as many waiting as can be under way. Says so only where more may come: not while it just stays as it is. */
  #relieve(line: Line): void {
    if (line.crowded && line.waiting.length <= line.maxInFlight) return
    this.turnAway(line.webhookId, line.maxInFlight)
    this.#options.onCrowded(line.webhookId)
  }

  /** An organization whose many webhooks hang together: each is within its cap, and yet they fill the gate. */
  #relieveTenants(now: number): void {
    for (const tenant of this.#tenants.values()) {
      for (const line of tenant.lines) {
        if (!this.#crowds(tenant)) break
        if (line.hasStalled(now)) this.turnAway(line.webhookId)
      }
    }
  }

  /** Whether more of it wait than there is room left for others to wait. So there is always some. */
  #crowds({ waiting }: Tenant): boolean {
    return waiting > this.#options.capacity - this.#waiting
  }

  #countWaiting(tenant: Tenant, more: number): void {
    tenant.waiting += more
    this.#waiting += more
  }

  #answerAll(line: Line, turnedAway: readonly Waiter[]): void {
    if (line.waiting.length === 0) {
      line.tenant.ready.delete(line)
      if (line.tenant.ready.size === 0) this.#ready.delete(line.tenant)
    }
    this.#countWaiting(line.tenant, -turnedAway.length)
    for (const waiter of turnedAway) waiter.answer('turned away')
  }

  #lineOf({ webhookId, organizationId, maxInFlight }: Entrant): Line {
    const known = this.#lines.get(webhookId)
    if (known) {
      known.maxInFlight = maxInFlight
      return known
    }
    const tenant = this.#tenants.get(organizationId) ?? {
      organizationId,
      lines: new Set(),
      ready: new Set(),
      inFlight: 0,
      waiting: 0,
    }
    this.#tenants.set(organizationId, tenant)
    const line = new Line(webhookId, tenant, maxInFlight)
    line.crowded = this.#lined.has(webhookId)
    tenant.lines.add(line)
    this.#lines.set(webhookId, line)
    return line
  }

  #forget(line: Line): void {
    this.#lines.delete(line.webhookId)
    line.tenant.lines.delete(line)
    if (line.tenant.lines.size === 0) this.#tenants.delete(line.tenant.organizationId)
  }
}

/**
 * An organization may have this many times as many attempts under way as there are places free. So one alone takes four
 * fifths of them, two take four ninths each, and there is always room for another.
 */
const SHARE_OF_FREE = 4

const NOBODY = { inFlight: 0, waiting: 0 }

function takeFirst<Item>(items: Set<Item>): Item {
  const first = items.values().next().value as Item
  items.delete(first)
  return first
}
