import {
  authorizationStatus,
  type Arguments,
  type PluginContext,
  type RestRequest,
  type RestServer,
} from '../../public.ts'
import { errors } from './errors.ts'
import { languageData } from './language-data.ts'
import type { Language, Languages } from './languages.ts'
import type { LanguageLinks } from './links.ts'
import { changeSettings, shownSettings } from './options.ts'
import { CONTEXT_ARGUMENT, CREATE_ARGUMENTS, languageSchema, settingsArguments, UPDATE_ARGUMENTS } from './schema.ts'
import type { LanguageChange, LanguageWriter } from './writer.ts'

const NAMESPACE = 'pll/v1'
const ID_ARGUMENT: Arguments = { term_id: { description: 'ID of the language.', type: 'integer' } }
const SLUG_ARGUMENT: Arguments = { slug: { description: 'Code of the language.', type: 'string' } }
const EDITED = ['POST', 'PUT', 'PATCH'] as const

/** Services that the routes share. */
export interface LanguageParts {
  readonly languages: Languages
  readonly links: LanguageLinks
  readonly writer: LanguageWriter
}

/** Registers the routes of languages and of their settings. */
export function registerRoutes(plugin: PluginContext, server: RestServer, parts: LanguageParts): void {
  const { languages, writer } = parts
  const { branding, services } = plugin
  const may = ({ user }: RestRequest) => services.capabilities.can(user, 'manage_options')
  const only =
    (refusal: 'rest_cannot_create' | 'rest_cannot_update' | 'rest_cannot_delete' | 'rest_forbidden_context') =>
    (request: RestRequest) =>
      may(request) || errors[refusal]({ data: { status: authorizationStatus(request) } })
  const open = () => true
  const shared = { allow_batch: { v1: true } }
  const read = { ...shared, methods: 'GET', permission_callback: open, cache: true } as const
  const shown = async (language: Language, { context }: { context: string }) =>
    context === 'embed' ? [] : (await languageData(plugin, languages, parts.links))(language)
  const contextOf = (request: RestRequest) => ({ context: request.get('context') as string })

  const byId = async (request: RestRequest): Promise<Language> => {
    const found = (await languages.all()).find(({ term }) => term.id === request.get('term_id'))
    if (found === undefined) throw errors.rest_invalid_id()
    return found
  }
  const bySlug = async (request: RestRequest): Promise<Language> => {
    const slug = String(request.get('slug'))
    const found = (await languages.all()).find((language) => language.slug === slug)
    if (found === undefined) throw errors.rest_invalid_slug()
    return found
  }

  server.registerRoute(NAMESPACE, '/languages', {
    0: {
      ...read,
      callback: async (request) => {
        const all = await languages.all()
        if (contextOf(request).context === 'embed') return all.map(() => [])
        const toData = await languageData(plugin, languages, parts.links)
        return Promise.all(all.map(toData))
      },
    },
    1: {
      ...shared,
      methods: 'POST',
      permission_callback: only('rest_cannot_create'),
      args: CREATE_ARGUMENTS,
      callback: async (request) => {
        const change = { ...changeOf(request), locale: String(request.get('locale')) }
        return services.transactions.inTurn(async () => {
          const language = await writer.create(change)
          // As clients know it: the count of terms is from before the default category is translated.
          const data = await shown(language, contextOf(request))
          if (request.get('no_default_cat') !== true) await writer.translateDefaultCategory(language)
          return data
        })
      },
    },
    schema: languageSchema,
  })
  server.registerRoute(NAMESPACE, String.raw`/languages/(?P<term_id>[\d]+)`, {
    args: ID_ARGUMENT,
    0: { ...read, args: CONTEXT_ARGUMENT, callback: async (request) => shown(await byId(request), contextOf(request)) },
    1: {
      ...shared,
      methods: EDITED,
      permission_callback: only('rest_cannot_update'),
      args: UPDATE_ARGUMENTS,
      callback: async (request) =>
        shown(await writer.update(await byId(request), changeOf(request)), contextOf(request)),
    },
    2: {
      ...shared,
      methods: 'DELETE',
      permission_callback: only('rest_cannot_delete'),
      callback: async (request) => {
        const language = await byId(request)
        const previous = await shown(language, contextOf(request))
        await writer.delete(language)
        return { deleted: true, previous }
      },
    },
    schema: languageSchema,
  })
  server.registerRoute(NAMESPACE, '/languages/(?P<slug>[a-z][a-z0-9_-]*)', {
    args: SLUG_ARGUMENT,
    0: {
      ...read,
      args: CONTEXT_ARGUMENT,
      callback: async (request) => shown(await bySlug(request), contextOf(request)),
    },
    schema: languageSchema,
  })

  const settings = settingsArguments(branding.blockMark)
  const permission = only('rest_forbidden_context')
  server.registerRoute(NAMESPACE, '/settings', {
    0: { ...shared, methods: 'GET', permission_callback: permission, callback: () => shownSettings(plugin) },
    1: {
      ...shared,
      methods: EDITED,
      permission_callback: permission,
      args: settings,
      callback: async (request) => {
        const entries = Object.keys(settings).flatMap((name) => {
          const value = request.get(name)
          return value === undefined || value === null ? [] : [[name, value] as const]
        })
        const changes = Object.fromEntries(entries)
        const { default_lang: chosen } = changes
        if (typeof chosen === 'string' && (await languages.find(chosen)) === undefined)
          throw errors.pll_invalid_language(chosen)
        await changeSettings(plugin, changes)
        return shownSettings(plugin)
      },
    },
  })
}

/** Returns the fields of a language that a request sets. */
function changeOf(request: RestRequest): LanguageChange {
  const entries = Object.keys(UPDATE_ARGUMENTS).flatMap((name) => {
    const value = request.get(name)
    return value === undefined || value === null ? [] : [[name, value] as const]
  })
  return Object.fromEntries(entries)
}
