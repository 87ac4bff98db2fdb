import type { Any } from './any.ts'

/** What hooks know of a request: they do not import requests, which import hooks. */
export interface AskedFor {
  readonly method: string
  wants(field: string): boolean
  get(parameter: string): unknown
}

/** What the run of a hook may tell of itself. */
export interface Subject {
  /** Content type, taxonomy or other type of the object. */
  readonly type: string
  /** The method of the request. */
  readonly method: string
  /** The request, whose arguments are checked. */
  readonly request: AskedFor
}

export type OneOrMore<T> = T | readonly T[]

/** What a tap is for: the kernel calls it for nothing else. */
export interface Concern {
  /** Types of objects. */
  types?: OneOrMore<string>
  /** Methods of requests. HEAD is a GET. */
  methods?: OneOrMore<'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'>
  /** Fields of which the request has to want one, as `request.wants` says. */
  fields?: OneOrMore<string>
  /** Contexts of the request; without one it has `view`. */
  context?: OneOrMore<'view' | 'embed' | 'edit'>
}

/** By what a run tells of itself, how a tap may say what it is for. */
export interface ConcernsBy {
  type: 'types'
  method: 'methods'
  request: 'methods' | 'fields' | 'context'
}

/** What taps may say of a hook whose runs tell `S` of themselves. */
export type ConcernOf<S extends keyof Subject> = Pick<Concern, ConcernsBy[S]>

/** How a hook tells what its run is about, of its arguments. */
export type About<A extends unknown[] = Any, S extends keyof Subject = keyof Subject> = {
  readonly [K in S]: (...args: A) => Subject[K]
}

/** What is known of the subject of a run. */
export type KnownSubject = { readonly [K in keyof Subject]?: Subject[K] | undefined }

/** Whether a tap is for a run, as far as it is known what the run is about. */
export type Concerns = (subject: KnownSubject) => boolean

type Given = { readonly [K in keyof Concern]?: Concern[K] | undefined }

/** What tells whether a tap is for a run; null for one that is for all. */
export function concernsOf({ types, methods, fields, context }: Given): Concerns | null {
  const tests: Concerns[] = []
  if (types !== undefined) {
    const known = new Set([types].flat())
    tests.push(({ type }) => type === undefined || known.has(type))
  }
  if (methods !== undefined) {
    const known = new Set<string>([methods].flat())
    tests.push(({ request, method = request?.method }) => {
      return method === undefined || known.has(method === 'HEAD' ? 'GET' : method)
    })
  }
  if (fields !== undefined) {
    const names = [fields].flat()
    tests.push(({ request }) => request === undefined || names.some((name) => request.wants(name)))
  }
  if (context !== undefined) {
    const known = new Set<unknown>([context].flat())
    tests.push(({ request }) => request === undefined || known.has(request.get('context') ?? 'view'))
  }
  if (tests.length === 0) return null
  return tests.length === 1 ? tests[0]! : (subject) => tests.every((test) => test(subject))
}

/** The facts about a run. */
export function subjectOf({ type, method, request }: Partial<About> = {}, args: readonly Any[]): KnownSubject {
  return { type: type?.(...args), method: method?.(...args), request: request?.(...args) }
}
