import type { PluginContext, RestRequest, RestServer } from '../../public.ts'
import { configErrors } from './config-errors.ts'
import { errors } from './errors.ts'
import { settingsOf, type Form, type Forms } from './forms.ts'
import { NAMESPACE, SCHEMA_VERSION } from './names.ts'
import { rulesOf } from './rules.ts'
import type { Submissions } from './submissions.ts'
import { tagsOf } from './tags.ts'

const HASH_LENGTH = 7
const ORDERS: Readonly<Record<string, (form: Form) => string | number>> = {
  id: ({ id }) => id ?? 0,
  title: ({ title }) => title.toLowerCase(),
}
const PATH = '/contact-forms'
const ID = '(?P<id>\\d+)'

/** Registers the routes of forms. */
export function registerFormRoutes(
  server: RestServer,
  { services: { capabilities } }: PluginContext,
  forms: Forms,
  submissions: Submissions,
): void {
  const permission = (capability: string, reason: string) => (request: RestRequest) =>
    capabilities.can(request.user, capability) || errors.wpcf7_forbidden(reason)
  const mayList = permission('edit_posts', 'You are not allowed to access contact forms.')
  const mayCreate = permission('edit_others_posts', 'You are not allowed to create a contact form.')
  const mayAccess = permission('edit_others_posts', 'You are not allowed to access the requested contact form.')
  const everyone = () => true
  const formOf = ({ captures, scope }: RestRequest) => forms.get(Number(captures['id']), scope)

  const saved = async (form: Form, request: RestRequest) => {
    const isSaved = request.get('context') === 'save'
    const id = isSaved ? await forms.save(form, request) : form.id
    return { ...shown({ ...form, id }), config_errors: configErrors(form) }
  }
  server.registerRoute(NAMESPACE, PATH, [
    {
      methods: 'GET',
      permission_callback: mayList,
      callback: async (request) => listed(await forms.all(request.scope), request),
    },
    {
      methods: 'POST',
      permission_callback: mayCreate,
      callback: async (request) => {
        if (Number(request.get('id')) > 0) throw errors.wpcf7_post_exists()
        return saved(forms.changed(await forms.blank(), bodyOf(request)), request)
      },
    },
  ])
  server.registerRoute(NAMESPACE, `${PATH}/${ID}`, [
    {
      methods: 'GET',
      permission_callback: mayAccess,
      callback: async (request) => shown(await formOf(request)),
    },
    {
      methods: ['POST', 'PUT', 'PATCH'],
      permission_callback: mayAccess,
      callback: async (request) => saved(forms.changed(await formOf(request), bodyOf(request)), request),
    },
    {
      methods: 'DELETE',
      permission_callback: mayAccess,
      callback: async (request) => {
        const { id } = await formOf(request)
        await forms.delete(id ?? 0, request)
        return { deleted: true }
      },
    },
  ])
  server.registerRoute(NAMESPACE, `${PATH}/${ID}/feedback`, {
    methods: 'POST',
    permission_callback: everyone,
    callback: async (request) => {
      if (!/^multipart\/form-data\b/i.test(request.headers.get('content-type') ?? ''))
        throw errors.wpcf7_unsupported_media_type()
      const form = await formOf(request)
      const { files, user, ip, headers } = request
      const url = headers.get('referer') ?? ''
      const agent = headers.get('user-agent') ?? ''
      return submissions.handle(form, { fields: request.form ?? {}, files, user, ip, agent, url })
    },
  })
  server.registerRoute(NAMESPACE, `${PATH}/${ID}/feedback/schema`, {
    methods: 'GET',
    permission_callback: everyone,
    callback: async (request) => {
      const form = await formOf(request)
      return { version: SCHEMA_VERSION, locale: form.locale, rules: rulesOf(form) }
    },
  })
  server.registerRoute(NAMESPACE, `${PATH}/${ID}/refill`, {
    methods: 'GET',
    permission_callback: everyone,
    // A quiz asks another question each time.
    cache: false,
    callback: async (request) => {
      const quiz = submissions.quiz(await formOf(request))
      return Object.keys(quiz).length === 0 ? [] : { quiz }
    },
  })
}

function listed(forms: readonly Form[], request: RestRequest) {
  const search = textOf(request.get('search'), '').toLowerCase()
  const order = ORDERS[textOf(request.get('orderby'), 'id')] ?? ORDERS['id']!
  const sign = textOf(request.get('order'), 'asc').toLowerCase() === 'desc' ? -1 : 1
  const size = Number(request.get('per_page') ?? -1)
  const offset = Math.max(0, Number(request.get('offset') ?? 0) || 0)
  const chosen = forms
    .filter(
      ({ title, form }) => search === '' || title.toLowerCase().includes(search) || form.toLowerCase().includes(search),
    )
    .toSorted((a, b) => (order(a) < order(b) ? -sign : sign))
  const page = size > 0 ? chosen.slice(offset, offset + size) : chosen.slice(offset)
  return page.map(({ id, hash, slug, title, locale }) => ({
    id,
    hash: hash.slice(0, HASH_LENGTH),
    slug,
    title,
    locale,
  }))
}

function textOf(value: unknown, preset: string): string {
  return typeof value === 'string' ? value : preset
}

/** Returns a form as the REST API shows it. */
function shown(form: Form) {
  const { id, slug, title, locale, mail, mail_2, messages, additional_settings: settings } = form
  return {
    id,
    slug,
    title,
    locale,
    properties: {
      form: { content: form.form, fields: tagsOf(form.form) },
      mail,
      mail_2,
      messages,
      additional_settings: {
        content: settings,
        settings: [...settingsOf(form)].flatMap(([name, values]) =>
          values.map((value) => [
            name,
            ['on', 'true'].includes(value) ? true : ['off', 'false'].includes(value) ? false : value,
          ]),
        ),
      },
    },
  }
}

function bodyOf(request: RestRequest): Readonly<Record<string, unknown>> {
  const body = request.json ?? request.form ?? {}
  return typeof body === 'object' && !Array.isArray(body) ? (body as Record<string, unknown>) : {}
}
