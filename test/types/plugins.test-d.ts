// Type tests of plugin definitions. `npm run check:types` compiles this file; it is never run.
import { expectTypeOf } from 'expect-type'
import {
  definePlugin,
  filter,
  syncAction,
  syncFilter,
  type AnyPlugin,
  type Awaitable,
  type Family,
  type Filter,
  type PluginContext,
  type PluginDefinition,
  type Services,
  type SyncAction,
} from '../../kernel/index.ts'
import type { RevisionChanges } from '../../plugins/library/site-config/index.ts'
import type { Preload } from '../../plugins/responses/preload.ts'
import type { Store } from '../../plugins/storage/store/index.ts'

declare module '../../kernel/index.ts' {
  interface Services {
    typesTested: { double: (value: number) => number }
  }
  interface Hooks {
    types_tested: Filter<number, [by: string]>
    types_happened: SyncAction<[what: 'a' | 'b']>
    types_filtered: Filter<number, [type: string], 'type'>
    types_shown: Family<Filter<string, [id: number]>>
  }
  interface CurrentUser {
    readonly typesTested?: 'yes'
  }
}

interface Greeting {
  words: readonly string[]
  loud: boolean
}

// Options: a schema for each, with a default of its type; `apply` receives the declared types.
definePlugin<Greeting>({
  name: 'greeting',
  options: { words: { default: ['hello'], type: 'array' }, loud: { default: false } },
  apply(context, options) {
    expectTypeOf(options).toEqualTypeOf<Greeting>()
    expectTypeOf(context).toEqualTypeOf<PluginContext>()
  },
})
definePlugin<Greeting>({
  name: 'greeting',
  // @ts-expect-error an option without a schema
  options: { words: { default: ['hello'] } },
  apply() {},
})
definePlugin<Greeting>({
  name: 'greeting',
  options: {
    words: { default: ['hello'] },
    // @ts-expect-error a default of another type
    loud: { default: 'no' },
  },
  apply() {},
})
definePlugin<Greeting>({
  name: 'greeting',
  // @ts-expect-error a schema without a default
  options: { words: { type: 'array' }, loud: { default: false } },
  apply() {},
})
definePlugin<Greeting>({
  name: 'greeting',
  // @ts-expect-error an option that is not declared
  options: { words: { default: [] }, loud: { default: false }, quiet: { default: true } },
  apply() {},
})
// @ts-expect-error a plugin needs a name
definePlugin({ apply() {} })
// @ts-expect-error a plugin needs apply
definePlugin({ name: 'idle' })

// A plugin without options.
definePlugin({
  name: 'plain',
  hooks: { types_tested: filter('value', 'by') },
  async apply(_context, options) {
    expectTypeOf(options).toEqualTypeOf<Record<never, never>>()
  },
})
definePlugin({
  name: 'owner',
  hooks: {
    types_tested: filter('value', 'by'),
    types_happened: syncAction('what'),
    types_filtered: { ...filter('value', 'type'), about: { type: (_value, type) => type } },
    'types_shown_*': filter('text', 'id'),
  },
  apply() {},
})
definePlugin({
  name: 'owner',
  // @ts-expect-error a hook without a type in `Hooks`
  hooks: { types_tset: filter('value', 'by') },
  apply() {},
})
definePlugin({
  name: 'owner',
  // @ts-expect-error another kind than its type
  hooks: { types_tested: syncFilter('value', 'by') },
  apply() {},
})
definePlugin({
  name: 'owner',
  // @ts-expect-error fewer arguments than its type
  hooks: { types_tested: filter('value') },
  apply() {},
})
expectTypeOf(definePlugin<Greeting>({ name: 'g', options: {} as never, apply() {} })).toEqualTypeOf<
  PluginDefinition<Greeting>
>()
expectTypeOf<PluginDefinition<Greeting>>().toExtend<AnyPlugin>()

definePlugin({
  name: 'services',
  needs: ['store', 'preload'],
  apply({ services, provide, untap, has, onRemove }) {
    // Services have the types that their plugins declare.
    expectTypeOf(services.store).toEqualTypeOf<Store>()
    expectTypeOf(services.preload).toEqualTypeOf<Preload>()
    expectTypeOf(services.typesTested.double).returns.toBeNumber()
    // @ts-expect-error an undeclared service
    void services.typesTestde
    provide('typesTested', { double: (value) => value * 2 })
    // @ts-expect-error a service of another type than declared
    provide('typesTested', { double: (value: number) => String(value) })
    // @ts-expect-error provides an undeclared service
    provide('typesTestde', {})
    expectTypeOf(untap).returns.toBeNumber()
    expectTypeOf(has('posts')).toBeBoolean()
    onRemove(async () => {})
  },
})
expectTypeOf<Services>().toHaveProperty('typesTested')

// Settings of plugins in a preset.
expectTypeOf<{
  search: false
  fields: { use: AnyPlugin }
  cors: { options: { origins: string[] } }
}>().toExtend<RevisionChanges>()
expectTypeOf<{ search: true }>().not.toExtend<RevisionChanges>()

expectTypeOf<Awaitable<number>>().toEqualTypeOf<number | Promise<number>>()

// The payload of a job has the type of its handler's schema.
definePlugin({
  name: 'worker',
  needs: ['jobs', 'store'],
  migrations: [
    {
      name: 'first',
      sql: ({ id, text, prefix }) => `create table ${prefix}things (id ${id}, name ${text} not null)`,
      run: async (tx, { dialect }) => {
        expectTypeOf(await tx.script('select 1')).toBeVoid()
        expectTypeOf(dialect).toEqualTypeOf<'sqlite' | 'postgres'>()
      },
    },
    // @ts-expect-error a text for each database
    { name: 'second', sql: { sqlite: 'select 1' } },
  ],
  apply({ services: { jobs } }) {
    jobs.handle('typed', {
      schema: { type: 'object', properties: { post: { type: 'integer', required: true } } },
      run: (payload, { attempt }) => {
        expectTypeOf(payload).toEqualTypeOf<{ readonly post: number }>()
        expectTypeOf(attempt).toEqualTypeOf<number>()
      },
    })
    jobs.handle('untyped', { run: (payload) => void expectTypeOf(payload).toBeUnknown() })
  },
})
