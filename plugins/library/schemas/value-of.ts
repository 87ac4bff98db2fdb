import type { Arguments } from '../../../kernel/index.ts'

/**
 * Type of the values that a schema accepts, derived from its types, enum, items and properties; `unknown` for
 * everything else. The schema must be a literal or declared `as const`.
 */
export type ValueOf<S> = S extends { enum: readonly (infer E)[] }
  ? E
  : S extends { anyOf: readonly (infer F)[] }
    ? ValueOf<F>
    : S extends { oneOf: readonly (infer F)[] }
      ? ValueOf<F>
      : S extends { type: readonly (infer T)[] }
        ? OfType<T, S>
        : S extends { type: infer T }
          ? OfType<T, S>
          : unknown

/** Values of declared arguments by name. Arguments that are neither required nor have a default are optional. */
export type ValuesOf<A> = string extends keyof A
  ? Readonly<Record<string, unknown>>
  : Flat<
      { readonly [N in keyof A as IsPresent<A[N]> extends true ? N : never]: ValueOf<A[N]> } & {
        readonly [N in keyof A as IsPresent<A[N]> extends true ? never : N]?: ValueOf<A[N]>
      }
    >

type OfType<T, S> = T extends 'string'
  ? string
  : T extends 'integer' | 'number'
    ? number
    : T extends 'boolean'
      ? boolean
      : T extends 'null'
        ? null
        : T extends 'array'
          ? readonly (S extends { items: infer I } ? ValueOf<I> : unknown)[]
          : T extends 'object'
            ? S extends { properties: infer P extends Arguments }
              ? ObjectOf<P, S extends { required: readonly (infer R)[] } ? R : never>
              : Readonly<Record<string, unknown>>
            : unknown

type ObjectOf<P, R> = Flat<
  { readonly [N in keyof P as N extends R ? N : IsRequired<P[N]> extends true ? N : never]: ValueOf<P[N]> } & {
    readonly [N in keyof P as N extends R ? never : IsRequired<P[N]> extends true ? never : N]?: ValueOf<P[N]>
  }
>

type IsRequired<S> = S extends { required: true } ? true : false
type IsPresent<S> = S extends { required: true } ? true : S extends { default: infer D } ? IsSet<D> : false
type IsSet<D> = undefined extends D ? false : true
/** Merges properties into one object type, which editors display better. */
type Flat<T> = { [N in keyof T]: T[N] }
