import type { Owned } from '../../../../../kernel/index.ts'
import type { RunningName, ShownOption } from '../../../../library/running-plugins/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { errors } from '../../errors.ts'
import type { AdminContent } from '../../admin.ts'
import type { AdminView } from '../../frame/view.ts'
import { tableHtml } from '../../parts/table.ts'
import { aboutOf, badgeOf, optionAbout } from './plugins.ts'

/** The page of a plugin: options, dependencies and dependents, and everything that it has registered. */
export function show(view: AdminView): AdminContent {
  const { t, plugin } = view
  const all = plugin.running()
  const found = all.find(({ name }) => name === view.params['name'])
  if (found === undefined) throw errors.admin_plugin_not_found()
  const { definedAs, needs, options, migrations, owned } = found.details()
  const neededBy = all.filter((one) => one.details().needs.includes(found.name)).map(({ name }) => name)
  const facts: [string, PageHtml | string][] = [
    ...(definedAs === found.name ? [] : [[t('Replaced by'), definedAs] as [string, string]]),
    ...(needs.length === 0 ? [] : [[t('Needs'), linksTo(view, needs)] as [string, PageHtml]]),
    ...(neededBy.length === 0 ? [] : [[t('Needed by'), linksTo(view, neededBy)] as [string, PageHtml]]),
    ...(migrations === null ? [] : [[t('Database migrations'), migrations.join(', ')] as [string, string]]),
  ]
  return {
    title: found.name,
    headingActions: html`${badgeOf(view, found.isDefault, definedAs !== found.name)}<a href="${view.url('plugins')}"
        >${t('All plugins')}</a
      >`,
    main: html`<p>${aboutOf(found)}</p>
      <dl class="facts">
        ${facts.map(
          ([name, value]) =>
            html`<dt>${name}</dt>
              <dd>${value}</dd>`,
        )}
      </dl>
      ${optionsHtml(view, found, options)} ${configHtml(view, found, neededBy)}
      <h2>${t('Registered by this plugin')}</h2>
      ${owned.length === 0 ? html`<p>${t('Nothing registered.')}</p>` : treeHtml(owned)}`,
  }
}

function linksTo(view: AdminView, names: readonly string[]): PageHtml {
  const links = names.map(
    (name, index) => html`${index === 0 ? '' : ', '}<a href="${view.url(`plugins/${name}`)}">${name}</a>`,
  )
  return html`${links}`
}

function optionsHtml({ t }: AdminView, plugin: RunningName, options: readonly ShownOption[]): PageHtml {
  if (options.length === 0)
    return html`<h2>${t('Options')}</h2>
      <p>${t('This plugin has no options.')}</p>`
  const code = (text: string) => html`<code>${text}</code>`
  const rows = options.map((option) => [
    code(option.name),
    code(JSON.stringify(option.value)),
    option.isSet ? t('Config file') : t('Default'),
    code(JSON.stringify(option.default)),
    optionAbout(plugin, option),
  ])
  const columns = [t('Option'), t('Value'), t('Source'), t('Default value'), t('Description')]
  return html`<h2>${t('Options')}</h2>
    ${tableHtml({ caption: t('Options'), columns, rows })}`
}

/** Shows the config that disables or replaces the plugin. */
function configHtml({ t }: AdminView, { name, isDefault }: RunningName, neededBy: readonly string[]): PageHtml {
  const off = JSON.stringify({ plugins: { [name]: false } }, null, 2)
  const replaced = JSON.stringify({ plugins: { [name]: { use: `./my-${name}.ts` } } }, null, 2)
  const held =
    neededBy.length === 0
      ? null
      : html`<p>
          ${t('Other plugins need this one: {names}. Deactivate those, too, or replace this plugin.', { names: neededBy.join(', ') })}
        </p>`
  if (!isDefault)
    return html`<h2>${t('In the config file')}</h2>
      <p>${t('This plugin is added in the config file, under "plugins". Remove its line to deactivate it.')}</p>
      ${held}`
  return html`<h2>${t('In the config file')}</h2>
    <p>${t('To deactivate this plugin:')}</p>
    <pre tabindex="0">${off}</pre>
    ${held}
    <p>${t('To replace this plugin with your own:')}</p>
    <pre tabindex="0">${replaced}</pre>`
}

/** Renders everything that the plugin owns by kind, with counts. */
function treeHtml(owned: readonly Owned[]): PageHtml {
  const kinds = [...Map.groupBy(owned, ({ kind }) => kind)]
  return html`<ul>
    ${kinds.map(([kind, some]) => {
      const items = some.map(
        ({ name, parts = [] }) =>
          html`<li><code>${name || kind}</code>${parts.length > 0 ? treeHtml(parts) : null}</li>`,
      )
      return html`<li>
        <details>
          <summary>${kind} <span class="badge">${some.length}</span></summary>
          <ul>
            ${items}
          </ul>
        </details>
      </li>`
    })}
  </ul>`
}
