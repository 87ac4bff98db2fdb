import { html } from '../../../../library/markup/index.ts'
import { noticeHtml } from '../../frame/page.ts'
import type { AdminView } from '../../frame/view.ts'
import { choiceField, textField } from '../../parts/fields.ts'
import { formChanges, lostErrors, shownValues } from '../../parts/lost-updates.ts'
import { routeSchemas } from '../../parts/route-schema.ts'
import type { AdminContent, AdminHandler } from '../../admin.ts'
import { GROUPS, groupTabs, PERMALINKS } from './groups.ts'

/** Values of the tags in examples. */
const TAG_EXAMPLES: Readonly<Record<string, string>> = {
  year: '2026',
  monthnum: '01',
  day: '31',
  hour: '18',
  minute: '05',
  second: '09',
  post_id: '123',
  postname: 'sample-post',
  category: 'garden',
  author: 'ada',
}
const STRUCTURES = [
  '/%year%/%monthnum%/%day%/%postname%/',
  '/%year%/%monthnum%/%postname%/',
  '/%postname%/',
  '/posts/%post_id%/',
  '',
]
/** The option for a custom structure. */
const CUSTOM_OPTION = 'own'
const MAX_STRUCTURE_LENGTH = 200
const NAMES = ['permalink', 'category_base', 'tag_base'] as const
type Values = Record<(typeof NAMES)[number], string>

/** The page of permalink settings. No route of the REST API exposes these options. */
export async function show(
  view: AdminView,
  typed?: { values: Values; errors: Readonly<Record<string, string>> },
): Promise<AdminContent> {
  const { t } = view
  const { urls } = view.plugin
  const stored = await storedValues(view)
  const { permalink, category_base: category, tag_base: tag } = typed?.values ?? stored
  const errors = typed?.errors ?? {}
  const isOwn = !STRUCTURES.includes(permalink)
  const choices = [
    ...STRUCTURES.map((structure) => ({
      value: structure,
      label:
        structure === '' ? `${t('Plain')}: ${urls.site('/')}?p=123` : `${structure} – ${exampleOf(view, structure)}`,
    })),
    { value: CUSTOM_OPTION, label: t('Custom:') },
  ]
  const tags = Object.keys(TAG_EXAMPLES)
    .map((name) => `%${name}%`)
    .join(' ')
  const groupedSettings = new Set(GROUPS.flatMap(({ sections }) => sections).flatMap(({ settings }) => settings))
  const further = Object.keys(await routeSchemas(view, 'settings')).some((name) => !groupedSettings.has(name))
  const base = (name: 'category_base' | 'tag_base', label: string, value: string, fallback: string) =>
    textField({
      name,
      label,
      value,
      error: errors[name],
      hint: t('Leave empty for {example}.', { example: fallback }),
      attributes: html` maxlength="100"`,
    })
  return {
    ...(typed !== undefined && { status: 400 }),
    skipTo: 'form',
    title: t('Settings: {group}', { group: t('Permalinks') }),
    main: html`${groupTabs(view, PERMALINKS, further)}
      ${typed === undefined ? null : noticeHtml({ kind: 'error', text: t('Not saved. Please fix the highlighted fields.') })}
      <p>${t('Changing this can break existing links.')}</p>
      ${view.formStart('save', html` data-guard class="settings" id="form" tabindex="-1"`)} ${shownValues(stored)}
      ${choiceField({ name: 'structure', label: t('Permalink structure'), values: [isOwn ? CUSTOM_OPTION : permalink], choices })}
      ${textField({
        name: 'own',
        label: t('Custom structure'),
        value: permalink,
        error: errors['permalink'],
        hint: t('Available tags: {tags}. Must contain %postname% or %post_id%.', { tags }),
        attributes: html` maxlength="${MAX_STRUCTURE_LENGTH}" spellcheck="false"`,
      })}
      ${base('category_base', t('Category base'), category, '/category/')}
      ${base('tag_base', t('Tag base'), tag, '/tag/')}
      <p><button type="submit" class="primary">${t('Save')}</button></p></form>`,
  }
}

export const actions: Readonly<Record<string, AdminHandler>> = {
  async save(view) {
    const chosen = view.text('structure')
    const submitted: Values = {
      permalink: (chosen === CUSTOM_OPTION ? view.text('own') : chosen).trim(),
      category_base: view.text('category_base').trim(),
      tag_base: view.text('tag_base').trim(),
    }
    const { options, store } = view.plugin.services
    // In the write turn, so that no other write can happen between comparing and storing.
    const errors = await store.inTurn(async () => {
      const { changed, lost } = formChanges(view, submitted, textsOf(await options.fresh(NAMES)))
      const wrong = { ...problems(view, submitted), ...lostErrors(view, lost) }
      if (Object.keys(wrong).length === 0)
        for (const [name, value] of Object.entries(changed)) await options.set(name, value)
      return wrong
    })
    if (Object.keys(errors).length > 0) return show(view, { values: submitted, errors })
    return view.redirect(view.here(), { kind: 'done', text: view.t('Settings saved.') })
  },
}

async function storedValues({ plugin }: AdminView): Promise<Values> {
  return textsOf(await plugin.services.options.many(NAMES))
}

function textsOf(found: Readonly<Record<(typeof NAMES)[number], unknown>>): Values {
  const text = (value: unknown) => (typeof value === 'string' ? value : '')
  return { permalink: text(found.permalink), category_base: text(found.category_base), tag_base: text(found.tag_base) }
}

function exampleOf({ plugin }: AdminView, structure: string): string {
  return plugin.urls.site(
    structure.replace(/%(\w+)%/g, (whole, tag: string) =>
      Object.hasOwn(TAG_EXAMPLES, tag) ? TAG_EXAMPLES[tag]! : whole,
    ),
  )
}

function problems(
  { t }: AdminView,
  { permalink, category_base: category, tag_base: tag }: Values,
): Record<string, string> {
  const errors: Record<string, string> = {}
  if (permalink !== '') {
    const tags = [...permalink.matchAll(/%(\w+)%/g)].map(([, name = '']) => name)
    const unknown = tags.find((name) => !Object.hasOwn(TAG_EXAMPLES, name))
    if (permalink.length > MAX_STRUCTURE_LENGTH || !permalink.startsWith('/'))
      errors['permalink'] = t('Start with a slash and use at most {count} characters.', {
        count: MAX_STRUCTURE_LENGTH,
      })
    else if (!/^[\w/.~-]*$/.test(permalink.replace(/%\w+%/g, '')) || permalink.includes('//'))
      errors['permalink'] = t('Between tags, use only letters, digits, - . _ ~ and single slashes.')
    else if (unknown !== undefined) errors['permalink'] = t('Unknown tag: %{tag}%.', { tag: unknown })
    else if (!tags.includes('postname') && !tags.includes('post_id'))
      errors['permalink'] = t('Include %postname% or %post_id%, so that each post has its own URL.')
  }
  for (const [name, base] of Object.entries({ category_base: category, tag_base: tag }))
    if (base.length > 100 || !/^[\w/-]*$/.test(base) || base.includes('//'))
      errors[name] = t('Use only letters, digits, - and _ between slashes.')
  if (category !== '' && category === tag)
    errors['tag_base'] = t('This is already the category base. Enter a different one.')
  return errors
}
