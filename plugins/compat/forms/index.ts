import { randomBytes } from 'node:crypto'
import { definePlugin } from '../../public.ts'
import { switchedOn } from '../switched-on.ts'
import { migrations } from './entries.ts'
import './errors.ts'
import { formHooks } from './hooks.ts'
import { FORM_TYPE } from './names.ts'
export type { FormMail, MailFile } from './mail.ts'

export interface FormsOptions {
  /** Days after which messages are deleted; 0 keeps them. */
  days: number
  /** Messages that one network can send in ten minutes. */
  limit: number
}

/** Option with the key of the hashes of quiz answers. */
const KEY_OPTION = 'forms_key'

/** Contact forms: their routes, shortcodes, messages and pages in the admin. */
export default definePlugin<FormsOptions>({
  name: 'forms',
  description: 'Contact forms with the routes of Contact Form 7. Messages are stored, and sent by the hook form_mail.',
  needs: [
    'store',
    'settings',
    'content-types',
    'posts',
    'meta',
    'roles',
    'html',
    'shortcodes',
    'site-requests',
    'changes',
  ],
  after: ['admin', 'login', 'limits'],
  startsIf: switchedOn('forms'),
  migrations,
  hooks: formHooks,
  options: {
    days: { default: 90, type: 'integer', minimum: 0 },
    limit: { default: 30, type: 'integer', minimum: 1 },
  },
  async apply(plugin, { days, limit }) {
    const { has, hooks, services } = plugin
    services.contentTypes.register(FORM_TYPE, {
      label: 'Contact forms',
      public: false,
      show_in_rest: false,
      supports: ['title'],
    })
    await services.options.update<string>(KEY_OPTION, (stored) => stored ?? randomBytes(32).toString('hex'))
    const key = await services.options.get(KEY_OPTION, '')
    const [{ Forms }, { Entries }, { Submissions }, { FormPages }, { registerFormRoutes }] = await Promise.all([
      import('./forms.ts'),
      import('./entries.ts'),
      import('./submissions.ts'),
      import('./pages.ts'),
      import('./routes.ts'),
    ])
    const forms = new Forms(plugin)
    const entries = new Entries(plugin, days)
    const submissions = new Submissions(plugin, entries, { key, limit })
    const pages = new FormPages(plugin, forms, submissions)
    pages.register()
    hooks.rest_api_init.tap('forms', (server) => registerFormRoutes(server, plugin, forms, submissions))
    hooks.site_request.tapPromise({ name: 'forms', stage: -40, methods: ['POST'] }, async (page, request) =>
      page === null ? pages.respond(request) : page,
    )
    if (has('admin')) (await import('./admin.ts')).addEntryPages(plugin, entries, forms)
  },
})
