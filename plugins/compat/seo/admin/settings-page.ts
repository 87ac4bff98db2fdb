import { html, type AdminView, type PluginContext } from '../../../public.ts'
import type { Dialect } from '../dialect.ts'
import { isOn, settingsOf, textOf } from '../options.ts'
import { TITLES_OPTION } from '../rank-math/settings.ts'
import { YOAST_SOCIAL, YOAST_TITLES } from '../yoast/settings.ts'
import { fieldsHtml, sentValue, type FormField } from './fields.ts'

/** A field of the page with the place of its value. */
interface Setting extends FormField {
  readonly option: string
  readonly key: string
}

/** Adds the page with templates, separator, organization and images to the settings. */
export function addSettingsPage(plugin: PluginContext, dialect: Dialect): void {
  const { admin, options } = plugin.services
  admin.addPage({
    path: 'settings/search-engines',
    title: 'Search engines',
    capability: 'manage_options',
    menu: { position: 78, under: 'settings' },
    show: async (view) => ({
      main: html`${view.formStart('save')}
        ${fieldsHtml(await settingsFor(plugin, dialect, view), 'seo')}
        <p class="hint">${view.t('Templates can contain variables: {variables}', { variables: VARIABLES[dialect] })}</p>
        <button type="submit">${view.t('Save')}</button>
        </form>`,
    }),
    actions: {
      async save(view) {
        const settings = await settingsFor(plugin, dialect, view)
        const sent = Object.fromEntries(settings.map(({ name }) => [name, view.text(name)]))
        const values = settings.map((setting) => {
          const isChecked = setting.kind !== 'switch' || sent[setting.name] !== ''
          return [setting, isChecked ? sentValue(sent, setting) : ''] as const
        })
        for (const option of new Set(settings.map((setting) => setting.option))) {
          const changed = values.filter(([setting, value]) => setting.option === option && value !== setting.value)
          if (changed.length === 0) continue
          await options.update<Record<string, unknown>>(option, (stored) => ({
            ...stored,
            ...Object.fromEntries(changed.map(([{ key, kind }, value]) => [key, storedValue(kind, value, dialect)])),
          }))
        }
        return view.redirect(view.here(), { kind: 'done', text: view.t('Settings saved.') })
      },
    },
  })
}

const VARIABLES: Readonly<Record<Dialect, string>> = {
  yoast: '%%title%% %%page%% %%sep%% %%sitename%% %%sitedesc%% %%excerpt%% %%term_title%% %%name%%',
  'rank-math': '%title% %page% %sep% %sitename% %sitedesc% %excerpt% %term% %name%',
}

const storedValue = (kind: FormField['kind'], value: string, dialect: Dialect): unknown => {
  if (kind !== 'switch') return value
  return dialect === 'yoast' ? value === '1' : value === '1' ? ['noindex'] : ['index']
}

async function settingsFor({ services }: PluginContext, dialect: Dialect, { t }: AdminView): Promise<Setting[]> {
  const { contentTypes, options, taxonomies } = services
  const isYoast = dialect === 'yoast'
  const titles = isYoast ? YOAST_TITLES : TITLES_OPTION
  const stored = {
    [titles]: await settingsOf(options, titles),
    [YOAST_SOCIAL]: isYoast ? await settingsOf(options, YOAST_SOCIAL) : {},
  }
  const setting = (option: string, key: string, label: string, kind: FormField['kind'] = 'text'): Setting => {
    const values = stored[option] ?? {}
    const isHidden = isYoast ? isOn(values, key) : Array.isArray(values[key]) && values[key].includes('noindex')
    const value = kind === 'switch' ? (isHidden ? '1' : '') : textOf(values, key)
    return { option, key, name: `seo_${key.replace(/\W/g, '_')}`, label, kind, value }
  }
  const kinds = [
    { name: t('Home page'), yoast: 'home-wpseo', rankMath: 'homepage_' },
    ...contentTypes
      .all()
      .flatMap(({ name, label, viewable }) =>
        viewable && name !== 'attachment' ? [{ name: label, yoast: name, rankMath: `pt_${name}_` }] : [],
      ),
    ...taxonomies
      .all()
      .flatMap(({ name, label, publicly_queryable: hasPages }) =>
        hasPages ? [{ name: label, yoast: `tax-${name}`, rankMath: `tax_${name}_` }] : [],
      ),
  ]
  return [
    setting(titles, isYoast ? 'separator' : 'title_separator', t('Separator in titles')),
    setting(titles, isYoast ? 'company_name' : 'knowledgegraph_name', t('Name of the organization or person')),
    setting(titles, isYoast ? 'company_logo' : 'knowledgegraph_logo', t('URL of the logo'), 'url'),
    setting(
      isYoast ? YOAST_SOCIAL : titles,
      isYoast ? 'og_default_image' : 'open_graph_image',
      t('URL of the image for sharing'),
      'url',
    ),
    ...kinds.flatMap(({ name, yoast, rankMath }) => [
      setting(titles, isYoast ? `title-${yoast}` : `${rankMath}title`, t('{name}: title', { name })),
      setting(titles, isYoast ? `metadesc-${yoast}` : `${rankMath}description`, t('{name}: description', { name })),
    ]),
  ]
}
