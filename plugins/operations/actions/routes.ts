import {
  forbidden,
  RestResponse,
  type EndpointGroup,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../../kernel/index.ts'
import type { ActionDescription, Actions, Annotations } from './action.ts'
import { errors } from './errors.ts'
import type { ActionRegistry, Registered } from './registry.ts'
import type { ActionRunner, Prepared } from './runner.ts'

/** Pattern of an action name in a path. */
const NAME = '(?P<name>[a-z][a-z0-9-]*/[a-z][a-z0-9-]*)'

/** Registers the routes of actions, each for the plugin that declares it, and the routes that list actions. */
export function registerRoutes(
  server: RestServer,
  plugin: PluginContext,
  { registry, runner, actions }: { registry: ActionRegistry; runner: ActionRunner; actions: Actions },
): void {
  const shown = registry.list().filter(({ description }) => isShown(description))
  // Without actions the index is unchanged, because clients compare index documents.
  if (shown.length === 0) return
  const namespace = plugin.branding.namespace('v1', 'actions')
  for (const registered of shown) {
    const { name, owner, description } = registered
    owner.run(() =>
      server.registerRoute(namespace, `run/${name}`, {
        0: endpointOf(registered, runner),
        schema: () => ({ title: name, ...description.output_schema }),
      }),
    )
  }
  const list = listEndpoints(namespace, plugin, actions)
  server.registerRoute(namespace, 'actions', list.all)
  server.registerRoute(namespace, `actions/${NAME}`, list.one)
}

/** The HTTP method that runs an action. */
export function methodOf({ readonly, destructive, idempotent }: Annotations): 'GET' | 'DELETE' | 'POST' {
  if (readonly === true) return 'GET'
  return destructive === true && idempotent === true ? 'DELETE' : 'POST'
}

function endpointOf(registered: Registered, runner: ActionRunner): EndpointGroup {
  const { input, description } = registered
  const preparedRuns = new WeakMap<RestRequest, Promise<Prepared>>()
  /** The prepared run of a request. The permission check, the handler and the header `Allow` share it. */
  const preparedOf = (request: RestRequest) => {
    let prepared = preparedRuns.get(request)
    if (prepared === undefined) {
      const { user, scope, work } = request
      prepared = runner.prepare(registered, inputOf(request), { user, scope, via: 'rest' }, work)
      preparedRuns.set(request, prepared)
    }
    return prepared
  }
  const inputOf = (request: RestRequest) => {
    // Names that begin with _ are reserved by the REST API: _fields, _envelope …
    const names = Object.keys(request.requestParams()).filter((name) => !name.startsWith('_') && name !== 'rest_route')
    const unknown = names.find((name) => !Object.hasOwn(input.args, name))
    if (unknown !== undefined) throw input.unknown(unknown)
    const entries = Object.keys(input.args).map((name) => [name, request.get(name)] as const)
    return input.fromArguments(Object.fromEntries(entries.filter(([, value]) => value !== undefined)))
  }
  return {
    methods: methodOf(description.meta.annotations),
    args: input.args,
    // The data that an action reads is unknown.
    cache: false,
    permission_callback: async (request) => {
      const prepared = await preparedOf(request)
      return (await runner.refusal(prepared)) ?? true
    },
    callback: async (request) => new RestResponse(await runner.run(await preparedOf(request))),
  }
}

function listEndpoints(namespace: string, plugin: PluginContext, actions: Actions) {
  const { branding, services, urls } = plugin
  const shownAs = (description: ActionDescription) => {
    const href = (part: string) => urls.rest(`/${namespace}/${part}/${description.name}`)
    const run = { href: href('run'), method: methodOf(description.meta.annotations) }
    return { ...description, _links: { self: [{ href: href('actions') }], [branding.relation('action-run')]: [run] } }
  }
  const permission_callback = (request: RestRequest) =>
    services.capabilities.can(request.user, 'read') || forbidden(request, errors.action_list_forbidden)
  const all: EndpointGroup = {
    permission_callback,
    args: {
      category: { description: 'Limits the list to one category.', type: 'string' },
      namespace: { description: 'Limits the list to names with this prefix before the slash.', type: 'string' },
    },
    callback: (request) => {
      const filter = { category: request.get('category'), namespace: request.get('namespace') }
      return actions
        .list(filter as Parameters<Actions['list']>[0])
        .filter(isShown)
        .map(shownAs)
    },
  }
  const one: EndpointGroup = {
    permission_callback,
    args: { name: { description: 'Name of the action.', type: 'string' } },
    callback: (request) => {
      const name = String(request.get('name'))
      const found = actions.get(name)
      return found === undefined || !isShown(found) ? errors.action_not_found(name, '') : shownAs(found)
    },
  }
  return { all, one }
}

function isShown({ meta }: ActionDescription): boolean {
  return meta.show_in_rest
}
