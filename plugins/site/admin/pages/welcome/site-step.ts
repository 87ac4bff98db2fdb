import { html } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { shownValues } from '../../parts/lost-updates.ts'
import { routeSchemas } from '../../parts/route-schema.ts'
import type { Schemas } from '../../parts/schema-fields.ts'
import { settingFields } from '../settings/setting-fields.ts'
import { storedValues, storeSettings } from '../settings/store-settings.ts'
import { preferredLocale } from './preferred-locale.ts'
import { readSetup } from './setup.ts'
import type { Step } from './step.ts'

const SETTINGS = ['title', 'description', 'language', 'timezone']

/** The step that sets the title, the tagline, the language and the time zone of the site. */
export const siteStep: Step = {
  async show(view, typed) {
    const { t } = view
    const schemas = await stepSchemas(view)
    const stored = await storedValues(view, schemas)
    const isFirst = (await readSetup(view))?.steps.includes('site') === false
    const { translations } = view.plugin.services
    // The browser of the owner is the best guess for a site without a language.
    const locale =
      isFirst && (stored['language'] === '' || stored['language'] === 'en_US')
        ? preferredLocale(view.request.headers.get('accept-language'), ['en_US', ...translations.locales()])
        : null
    const values = { ...stored, ...(locale !== null && { language: locale }), ...typed?.values }
    const isWrong = typed !== undefined
    return {
      about: html`<p>
        ${t('Welcome! These steps take about a minute. You can change everything later, under Settings and Appearance.')}
      </p>`,
      fields: html`${shownValues(stored)}
        <div ${isFirst ? html` data-guess-timezone` : null}>
          ${await settingFields(view, schemas, values, typed?.errors ?? {})}
        </div>`,
      button: t('Save and continue'),
      isWrong,
    }
  },
  async save(view, next) {
    const typed = await storeSettings(view, { schemas: await stepSchemas(view), own: {} })
    return typed ?? { redirect: view.redirect(await next()) }
  },
}

async function stepSchemas(view: AdminView): Promise<Schemas> {
  const all = await routeSchemas(view, 'settings')
  return Object.fromEntries(SETTINGS.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name]!]] : [])))
}
