import { definePlugin, syncFilter, type AnyPlugin, type PluginContext, type SyncFilter } from '../../kernel/index.ts'
import type { Random } from './random.ts'

/** A version of a plugin, as data: the same one makes the same plugin on every server. */
export interface VersionSpec {
  readonly name: string
  /** In all that it registers. */
  readonly text: string
  readonly features: readonly string[]
  readonly needs: readonly string[]
  readonly after: readonly string[]
  /** Where it fails; null where it does not. */
  readonly fails: keyof typeof FAILURES | null
}

/** How often what versions do by means of their own is there: timers and listeners. */
export const means = { timers: 0 }

/** What slow requests wait for. */
export const gates = { slow: Promise.resolve(), begun: () => {} }

type Feature = (context: PluginContext, spec: VersionSpec) => void

const dependsOn = 'nothing' as const
const OPEN = { permission_callback: () => true } as const
/** Whether a version does what it does in another way than the next one. */
const isEven = (text: string) => Number(text.replace(/\D/g, '')) % 2 === 0

type Loose = Record<string, SyncFilter<string>>

/** What a version may do, each in one way that tells which version it is. */
export const FEATURES: Readonly<Record<string, Feature>> = {
  route: ({ hooks }, { name, text }) =>
    hooks.rest_api_init.tap(name, (server) => {
      server.registerRoute(`${name}/v1`, 'it', { callback: () => text, args: { [text]: { type: 'string' } }, ...OPEN })
    }),
  'route of two': ({ hooks }, { name, text }) =>
    hooks.rest_api_init.tap({ name: `${name} early`, stage: isEven(text) ? -5 : 5 }, (server) => {
      server.registerRoute('shared/v1', 'it', { callback: () => `${name} ${text}`, ...OPEN })
    }),
  'route taken': ({ hooks }, { name, text }) =>
    hooks.rest_api_init.tap(`${name} takes`, (server) => {
      server.registerRoute('shared/v1', 'taken', { callback: () => `${name} ${text}`, ...OPEN }, true)
    }),
  slow: ({ hooks, services }, { name, text }) =>
    hooks.rest_api_init.tap(`${name} slow`, (server) => {
      const callback = async () => {
        const { slow, begun } = gates
        begun()
        await slow
        const inner = await server.dispatch(`/${name}/v1/slow-inner`)
        return [text, inner.data, Object.hasOwn(services, 'nothing')]
      }
      server.registerRoute(`${name}/v1`, 'slow', { callback, ...OPEN })
      server.registerRoute(`${name}/v1`, 'slow-inner', { callback: () => text, ...OPEN })
    }),
  endpoints: ({ hooks }, { name, text }) =>
    hooks.rest_endpoints.tap(name, (endpoints) => {
      const taken = endpoints.get('/shared/v1/taken')
      if (taken !== undefined) endpoints.set(`/${name}/v1/${text}`, { ...taken, pattern: `/${name}/v1/${text}` })
      return endpoints
    }),
  description: ({ hooks }, { name, text }) => hooks.rest_route_data.tap(name, (data) => ({ ...data, [name]: text })),
  index: ({ hooks }, { name, text }) =>
    hooks.rest_index.tap(name, (response) => {
      Object.assign(response.data as object, { [`x_${name}`]: text })
      return response
    }),
  header: ({ hooks }, { name, text }) => {
    for (const stage of [0, 20, -20])
      hooks.rest_post_dispatch.tap({ name: `${name} ${stage}`, stage }, (response) => {
        response.headers.append('x-versions', `${name} ${text} ${stage}`)
        return response
      })
  },
  'content filter': ({ hooks }, { name, text }) => {
    hooks.the_content.tap({ name, dependsOn }, (html) => `${html}<p>${name} ${text}</p>`)
    hooks.the_content.tap(
      { name: `${name} late`, stage: 20, dependsOn },
      (html) => `${html}<p>late ${name} ${text}</p>`,
    )
  },
  prepare: ({ hooks }, { name, text }) =>
    hooks.rest_prepare.for('post').tap({ name, dependsOn }, (response) => {
      Object.assign(response.data as object, { [`by_${name}`]: text })
      return response
    }),
  'prepare of a method': ({ hooks }, { name, text }) =>
    hooks.rest_prepare.for('post').tap({ name: `${name} typed`, methods: 'GET', dependsOn }, (response) => {
      Object.assign(response.data as object, { typed: `${name} ${text}` })
      return response
    }),
  type: ({ services }, { name, text }) => {
    services.contentTypes.register(`${name}s`, {
      show_in_rest: true,
      public: true,
      description: text,
      has_archive: true,
    })
  },
  'type of two': ({ services }, { name, text }) => {
    const description = `${name} ${text}`
    services.contentTypes.register('shared', { show_in_rest: true, public: true, description, override: true })
  },
  'type changed': ({ services }, { name, text }) => {
    services.contentTypes.change(
      'page',
      isEven(text) ? { description: `${name} ${text}` } : { icon: `${name} ${text}` },
    )
  },
  'type filter': ({ hooks }, { name, text }) =>
    hooks.register_post_type_args.tap(name, (args) => ({ ...args, icon: `${args.icon ?? ''} ${name} ${text}` })),
  status: ({ services }, { name, text }) => {
    services.statuses.register(`${name}-${text}`, { public: true, show_in_list: true })
  },
  taxonomy: ({ services }, { name, text }) => {
    services.taxonomies.register(`${name}_kind`, isEven(text) ? 'post' : 'page', {
      show_in_rest: true,
      public: true,
      description: text,
    })
    services.taxonomies.attach('post_tag', 'page')
  },
  meta: ({ services }, { name, text }) => {
    const type = isEven(text) ? 'integer' : 'string'
    services.meta.register('post', `size_${name}`, {
      type,
      single: true,
      show_in_rest: true,
      filterable: true,
      sortable: true,
    })
    services.meta.register('post', `own_${text}`, { type, single: true, show_in_rest: true })
  },
  setting: ({ services }, { name, text }) =>
    services.settings.register(`set_${name}`, { type: 'string', default: text, show_in_rest: true }),
  role: ({ services }, { name, text }) => {
    services.roles.register(`role_${name}`, text, ['edit_posts'])
    services.roles.grant('subscriber', `do_${text}`)
    services.roles.grant('editor', 'upload_files', isEven(text))
  },
  shortcode: ({ services }, { name, text }) =>
    services.shortcodes.register('thing', () => `[${name} ${text}]`, { dependsOn, override: true }),
  block: ({ services }, { name, text }) =>
    services.blocks.register('every/thing', {
      render_callback: () => `(${name} ${text})`,
      dependsOn,
      override: true,
    }),
  field: ({ services }, { name, text }) => {
    const schema = { type: 'string', description: text } as const
    services.extraFields.register(['post', 'page'], `f_${name}`, { get_callback: () => text, dependsOn, schema })
  },
  'late field': ({ hooks, services }, { name, text }) =>
    hooks.rest_api_init.tap({ name: `${name} field`, stage: 3 }, () => {
      services.extraFields.register('post', 'late', {
        get_callback: () => `${name} ${text}`,
        dependsOn,
        schema: { type: 'string' },
        override: true,
      } as never)
    }),
  'sorted field': ({ services }, { name, text }) =>
    services.extraFields.register('post', `n_${name}`, {
      dependsOn,
      get_callback: ({ id }: { id: number }) => id,
      schema: { type: 'integer' },
      sortable: true,
      filterable: true,
      index: { type: 'number', version: text, value: ({ id }: { id: number }) => (isEven(text) ? -id : id) },
    } as never),
  job: ({ services: { jobs } }, { name, text }) => {
    jobs.handle(`${name}-job`, { run: () => {} })
    jobs.schedule(`${name}-job`, isEven(text) ? '0 6 * * *' : '0 7 * * *', { zone: 'UTC' })
  },
  command: ({ addCommand }, { name, text }) => addCommand(name, { summary: `Does ${text}.`, run: () => 0 }),
  action: ({ services }, { name, text }) => {
    services.actions.register(`${name}/act`, {
      label: text,
      description: text,
      input_schema: { type: 'object', properties: { [`p_${text}`]: { type: 'string' } } },
      output_schema: { type: 'object', properties: {} },
      annotations: { readonly: true },
      permission: () => true,
      run: () => ({}),
    } as never)
  },
  listeners: ({ services: { store }, hooks }, { name }) => {
    store.onStatement(() => {})
    store.onSettled(() => {})
    store.changes.onCommit(() => {})
    hooks.content_changed.tap(name, () => {})
    hooks.request_received.tap(name, (page) => page)
    hooks.response_sent.tap(name, () => {})
  },
  means: ({ hooks, onRemove }, { name }) => {
    const keep = (): void => {
      means.timers += 1
      const timer = setInterval(() => {}, 1e6)
      onRemove(() => {
        means.timers -= 1
        clearInterval(timer)
      }, 'timer')
    }
    keep()
    hooks.server_listening.tap(name, keep)
    hooks.rest_api_init.tap(`${name} timer`, keep)
  },
  'hook of its own': ({ hooks }, { name, text }) => {
    const own = hooks as never as Loose
    own[`${name}_text`]!.tap({ name: `${name} own` }, (value) => `${value}${text}`)
    own[`${name}_big_texts`]!.tap({ name: `${name} own` }, (value) => `${value}${text}`)
  },
}

/** Where a version may fail. */
export const FAILURES = {
  apply: () => {
    throw new Error('as asked')
  },
  'apply, later': async () => {
    await new Promise(setImmediate)
    throw new Error('as asked')
  },
  rest_api_init: ({ hooks }: PluginContext) =>
    hooks.rest_api_init.tap('fails', () => {
      throw new Error('as asked')
    }),
  rest_endpoints: ({ hooks }: PluginContext) =>
    hooks.rest_endpoints.tap('fails', () => {
      throw new Error('as asked')
    }),
  server_starting: ({ hooks }: PluginContext) =>
    hooks.server_starting.tap('fails', () => {
      throw new Error('as asked')
    }),
}

/** Makes a plugin of a version. */
export function versionOf(spec: VersionSpec): AnyPlugin {
  const { name, text, features, needs, after, fails } = spec
  const own = features.includes('hook of its own')
  return definePlugin({
    name,
    needs: [...NEEDS, ...needs],
    after,
    ...(own && { hooks: { [`${name}_text`]: syncFilter('text'), [`${name}_*_texts`]: syncFilter('text') } }),
    migrations: [{ name: 'table', sql: ({ id }) => `create table ${name}__rows (id ${id})` }],
    async apply(context) {
      context.provide(`s_${name}` as never, { text } as never)
      const services = context.services as never as Record<string, { text: string }>
      // What it captures of those that it depends on.
      const used = [...needs, ...after.filter((one) => context.has(one))].map((one) => services[`s_${one}`]!.text)
      context.hooks.rest_api_init.tap(`${name} services`, (server) => {
        const callback = () => [used, needs.map((one) => services[`s_${one}`]!.text)]
        server.registerRoute(`${name}/v1`, 'services', { callback, ...OPEN })
      })
      for (const feature of features) FEATURES[feature]!(context, spec)
      if (fails !== null) await FAILURES[fails](context)
    },
  })
}

const NEEDS = ['store', 'content-types', 'taxonomies', 'meta', 'settings', 'roles', 'shortcodes', 'blocks', 'extra-fields', 'posts', 'jobs', 'actions'] // prettier-ignore

/** Some of a list. */
export const someOf = <T>(random: Random, list: readonly T[], share: number): T[] => list.filter(() => random() < share)
