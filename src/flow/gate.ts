import { type Answer, Line, type Organization, type Waiter } from './line.ts'

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
  readonly #organizations = new Map<string, Organization>()
  /** Those with somebody who may enter, the next one first. */
  readonly #ready = new Set<Organization>()
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
    if (line.waiting.length === 0 && line.hasRoom && this.#maySend(line.organization)) {
      this.#start(line)
      return 'enter'
    }
    const { promise, resolve } = Promise.withResolvers<Answer>()
    line.waiting.push({ since: this.#now(), answer: resolve })
    this.#countWaiting(line.organization, 1)
    this.#makeReady(line)
    // Its cap may have been raised just now: then those before it need not wait until somebody leaves.
    if (line.hasRoom && this.#maySend(line.organization)) this.#letIn()
    return promise
  }

  leave({ webhookId }: Entrant): void {
    const line = this.#lines.get(webhookId) as Line
    line.inFlight -= 1
    line.finished += 1
    line.organization.inFlight -= 1
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
    if (this.#crowds(line.organization)) return false
    line.expected += 1
    this.#countWaiting(line.organization, 1)
    return true
  }

  /** It is here, or does not come. */
  expectNoMore({ webhookId }: Entrant): void {
    const line = this.#lines.get(webhookId) as Line
    line.expected -= 1
    this.#countWaiting(line.organization, -1)
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
    const { inFlight, waiting } = this.#organizations.get(organizationId) ?? NOBODY
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
    this.#relieveOrganizations(now)
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

  #maySend({ inFlight }: Organization): boolean {
    const free = this.#options.capacity - this.#inFlight
    return inFlight < SHARE_OF_FREE * free
  }

  #start(line: Line): void {
    line.inFlight += 1
    line.organization.inFlight += 1
    this.#inFlight += 1
  }

  /** One of each organization after the other, one of each of its webhooks after the other. */
  #letIn(): void {
    let refused = 0
    while (refused < this.#ready.size) {
      const organization = takeFirst(this.#ready)
      if (this.#maySend(organization)) this.#letInOne(organization)
      else refused += 1
      if (organization.ready.size > 0) this.#ready.add(organization)
    }
  }

  #letInOne(organization: Organization): void {
    const line = takeFirst(organization.ready)
    // Its cap may have been lowered since it was ready.
    if (!line.hasRoom) return
    const waiter = line.waiting.shift() as Waiter
    this.#countWaiting(organization, -1)
    this.#start(line)
    if (line.hasRoom && line.waiting.length > 0) organization.ready.add(line)
    waiter.answer('enter')
  }

  #makeReady(line: Line): void {
    if (line.waiting.length === 0 || !line.hasRoom) return
    line.organization.ready.add(line)
    this.#ready.add(line.organization)
  }

  /** It keeps as many waiting as can be under way. Says so only where more may come: not while it just stays as it is. */
  #relieve(line: Line): void {
    if (line.crowded && line.waiting.length <= line.maxInFlight) return
    this.turnAway(line.webhookId, line.maxInFlight)
    this.#options.onCrowded(line.webhookId)
  }

  /** An organization whose many webhooks hang together: each is within its cap, and yet they fill the gate. */
  #relieveOrganizations(now: number): void {
    for (const organization of this.#organizations.values()) {
      for (const line of organization.lines) {
        if (!this.#crowds(organization)) break
        if (line.hasStalled(now)) this.turnAway(line.webhookId)
      }
    }
  }

  /** Whether more of it wait than there is room left for others to wait. So there is always some. */
  #crowds({ waiting }: Organization): boolean {
    return waiting > this.#options.capacity - this.#waiting
  }

  #countWaiting(organization: Organization, more: number): void {
    organization.waiting += more
    this.#waiting += more
  }

  #answerAll(line: Line, turnedAway: readonly Waiter[]): void {
    if (line.waiting.length === 0) {
      line.organization.ready.delete(line)
      if (line.organization.ready.size === 0) this.#ready.delete(line.organization)
    }
    this.#countWaiting(line.organization, -turnedAway.length)
    for (const waiter of turnedAway) waiter.answer('turned away')
  }

  #lineOf({ webhookId, organizationId, maxInFlight }: Entrant): Line {
    const known = this.#lines.get(webhookId)
    if (known) {
      known.maxInFlight = maxInFlight
      return known
    }
    const organization = this.#organizations.get(organizationId) ?? {
      organizationId,
      lines: new Set(),
      ready: new Set(),
      inFlight: 0,
      waiting: 0,
    }
    this.#organizations.set(organizationId, organization)
    const line = new Line(webhookId, organization, maxInFlight)
    line.crowded = this.#lined.has(webhookId)
    organization.lines.add(line)
    this.#lines.set(webhookId, line)
    return line
  }

  #forget(line: Line): void {
    this.#lines.delete(line.webhookId)
    line.organization.lines.delete(line)
    if (line.organization.lines.size === 0)
      this.#organizations.delete(line.organization.organizationId)
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
