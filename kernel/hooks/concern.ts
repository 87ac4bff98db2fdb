import type { Any } from './any.ts'

/** The part of a request that taps are matched by. `RestRequest` itself imports hooks, so hooks cannot import it. */
export interface MatchedRequest {
  readonly method: string
  wants(field: string): boolean
  get(parameter: string): unknown
}

/** The facts about a run of a hook that taps can be matched by. */
export interface Subject {
  /** Type of the object: a content type, a taxonomy or another object type. */
  readonly type: string
  readonly method: string
  /** The request, with checked arguments. */
  readonly request: MatchedRequest
}

export type OneOrMore<T> = T | readonly T[]

/** Options of a tap that limit its runs: the kernel calls the tap only for runs that match all of them. */
export interface Concern {
  types?: OneOrMore<string>
  /** Request methods. `GET` includes HEAD. */
  methods?: OneOrMore<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'>
  /** Fields, at least one of which the request asks for (`request.wants`). */
  fields?: OneOrMore<string>
  /** Contexts of the request; a request without a context has `view`. */
  context?: OneOrMore<'view' | 'embed' | 'edit'>
}

/** The options of a tap that each fact about a run makes available. */
export interface ConcernsBy {
  type: 'types'
  method: 'methods'
  request: 'methods' | 'fields' | 'context'
}

/** The options that limit taps of a hook whose runs have the facts `S`. */
export type ConcernOf<S extends keyof Subject> = Pick<Concern, ConcernsBy[S]>

/** Functions that return the facts about a run from the arguments of the hook. */
export type About<A extends unknown[] = Any, S extends keyof Subject = keyof Subject> = {
  readonly [K in S]: (...args: A) => Subject[K]
}

/** The facts about a run that are known so far. */
export type KnownSubject = { readonly [K in keyof Subject]?: Subject[K] | undefined }

/** Returns whether a tap is to be called for a run. Facts that are not known yet count as a match. */
export type RunTest = (subject: KnownSubject) => boolean

type ConcernOptions = { readonly [K in keyof Concern]?: Concern[K] | undefined }

/** Creates the test for the runs that a tap is called for; null if it is called for all runs. */
export function createRunTest({ types, methods, fields, context }: ConcernOptions): RunTest | null {
  const tests: RunTest[] = []
  if (types !== undefined) {
    const names = new Set([types].flat())
    tests.push(({ type }) => type === undefined || names.has(type))
  }
  if (methods !== undefined) {
    const names = new Set<string>([methods].flat())
    tests.push(({ request, method = request?.method }) => {
      return method === undefined || names.has(method === 'HEAD' ? 'GET' : method)
    })
  }
  if (fields !== undefined) {
    const names = [fields].flat()
    tests.push(({ request }) => request === undefined || names.some((name) => request.wants(name)))
  }
  if (context !== undefined) {
    const names = new Set<unknown>([context].flat())
    tests.push(({ request }) => request === undefined || names.has(request.get('context') ?? 'view'))
  }
  if (tests.length === 0) return null
  return tests.length === 1 ? tests[0]! : (subject) => tests.every((test) => test(subject))
}

/** Returns the facts about a run from the arguments of the hook. */
export function subjectOf({ type, method, request }: Partial<About> = {}, args: readonly Any[]): KnownSubject {
  return { type: type?.(...args), method: method?.(...args), request: request?.(...args) }
}
