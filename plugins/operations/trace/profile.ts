import type { Step, StepKind, TracedRequest } from './record.ts'
import { round } from './recorder.ts'

/** Aggregated time of the same step at the same position in many requests. */
export interface ProfileNode {
  readonly kind: StepKind | 'all'
  readonly name: string
  readonly plugin: string | null
  count: number
  /** Total milliseconds from start to end. */
  total: number
  /** Milliseconds during which no child step was running. */
  self: number
  readonly parts: ProfileNode[]
}

/** Time of one plugin: its taps, handlers and permission checks, and the statements they run. */
export interface PluginTime {
  readonly plugin: string
  count: number
  /** Milliseconds; a tap within a tap of the same plugin counts once. */
  total: number
  self: number
  statements: number
  /** Milliseconds of these statements. */
  sql: number
}

export interface Profile {
  readonly requests: number
  readonly all: ProfileNode
  readonly plugins: readonly PluginTime[]
}

/** Nodes with a smaller share of the total time are omitted. */
const MIN_SHOWN_SHARE = 0.001

/** Aggregates the time of requests by step and by plugin. */
export function profileOf(requests: readonly TracedRequest[]): Profile {
  const all = new NodeBuilder('all', 'all requests', null)
  const plugins = new Map<string, PluginTime>()
  for (const request of requests) {
    const { steps, ms } = request
    all.count += 1
    all.total += ms ?? 0
    const times = selfTimes(steps, ms ?? 0)
    all.self += times.whole
    const gathered: NodeBuilder[] = []
    for (const [at, step] of steps.entries()) {
      const node = (gathered[step.parent] ?? all).part(step)
      gathered.push(node)
      const self = times.steps[at]!
      node.count += 1
      node.total += step.ms ?? 0
      node.self += self
      addToPlugin(plugins, steps, step, self)
    }
  }
  const root = all.node(all.total * MIN_SHOWN_SHARE)
  const byTime = [...plugins.values()].toSorted((one, other) => other.self + other.sql - one.self - one.sql)
  for (const one of byTime) Object.assign(one, { total: round(one.total), self: round(one.self), sql: round(one.sql) })
  return { requests: requests.length, all: root, plugins: byTime }
}

/** A node during aggregation. */
class NodeBuilder {
  readonly kind: ProfileNode['kind']
  readonly name: string
  readonly plugin: string | null
  count = 0
  total = 0
  self = 0
  readonly #parts = new Map<string, NodeBuilder>()

  constructor(kind: ProfileNode['kind'], name: string, plugin: string | null) {
    this.kind = kind
    this.name = name
    this.plugin = plugin
  }

  part({ kind, name: stepName, plugin, route }: Step): NodeBuilder {
    // Named after the route, so that requests with different IDs are aggregated.
    const name = kind === 'request' && typeof route === 'string' ? `${stepName.split(' ', 1)[0]} ${route}` : stepName
    const key = `${kind} ${plugin} ${name}`
    let part = this.#parts.get(key)
    if (part === undefined) this.#parts.set(key, (part = new NodeBuilder(kind, name, plugin)))
    return part
  }

  /** @param least minimum milliseconds of the returned nodes */
  node(least: number): ProfileNode {
    const parts = [...this.#parts.values()]
      .filter(({ total }) => total >= least && total > 0)
      .map((part) => part.node(least))
    const { kind, name, plugin, count } = this
    return { kind, name, plugin, count, total: round(this.total), self: round(this.self), parts }
  }
}

/** Milliseconds in which no child step was running: for each step, and for the whole request. */
function selfTimes(steps: readonly Step[], ms: number): { steps: number[]; whole: number } {
  const selfMs = steps.map((step) => step.ms ?? 0)
  let whole = ms
  /** End of the time covered by child steps, by the index of their parent. Steps are in the order of their starts. */
  const covered = new Map<number, number>()
  for (const { parent, start, ms: own } of steps) {
    const container = parent < 0 ? { start: 0, ms } : steps[parent]!
    const end = Math.min(start + (own ?? 0), container.start + (container.ms ?? 0))
    const from = Math.max(start, covered.get(parent) ?? 0)
    if (end <= from) continue
    covered.set(parent, end)
    if (parent < 0) whole -= end - from
    else selfMs[parent]! -= end - from
  }
  return { steps: selfMs.map((self) => Math.max(0, self)), whole: Math.max(0, whole) }
}

function addToPlugin(plugins: Map<string, PluginTime>, steps: readonly Step[], step: Step, self: number): void {
  const { plugin } = step
  if (plugin === null && step.kind !== 'sql') return
  const name = plugin ?? pluginAround(steps, step)
  if (name === null) return
  let time = plugins.get(name)
  if (time === undefined)
    plugins.set(name, (time = { plugin: name, count: 0, total: 0, self: 0, statements: 0, sql: 0 }))
  if (plugin === null) {
    time.statements += 1
    time.sql += step.ms ?? 0
    return
  }
  time.count += 1
  time.self += self
  if (pluginAround(steps, step) !== name) time.total += step.ms ?? 0
}

/** The plugin that runs a step: that of its nearest ancestor with a plugin. */
function pluginAround(steps: readonly Step[], step: Step): string | null {
  for (let at = step.parent; at >= 0; at = steps[at]!.parent) {
    const { plugin } = steps[at]!
    if (plugin !== null) return plugin
  }
  return null
}
