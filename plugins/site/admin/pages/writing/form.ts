import { localFromUtc, type TimeZone } from '../../../../resources/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { checkbox, selectField, textArea, textField, type Choice } from '../../parts/fields.ts'
import { panelBoxes } from '../../parts/panels.ts'
import type { AdminView } from '../../frame/view.ts'
import { attributesBox, box, imageBox, metaBox, termBoxes } from './boxes.ts'
import { editorData } from './editor-data.ts'
import { editorWords, htmlHint, markdownHint } from './editor-words.ts'
import { has } from './item.ts'
import type { Shown } from './shown.ts'

/** Renders the editor form. */
export async function formHtml(view: AdminView, shown: Shown): Promise<PageHtml> {
  const { t, plugin } = view
  const { kind, item, draft, tag, lockedBy } = shown
  const { branding, urls } = plugin
  const off = lockedBy === null ? null : html` disabled`
  const boxes = [
    await statusBox(view, shown),
    ...(await termBoxes(view, shown)),
    await imageBox(view, shown),
    excerptBox(view, shown),
    await attributesBox(view, shown),
    metaBox(view, shown),
    ...(await panelBoxes(view, kind.type.name, item)),
  ].filter((one) => one !== null)
  const locks = plugin.has('editor-ajax')
  const editor = has(kind, 'editor') ? html` data-editor="${JSON.stringify(await editorData(view, shown))}"` : null
  const data = html`data-words="${JSON.stringify(editorWords(view))}" data-id="${item?.id ?? ''}"
  data-user="${view.user.id}" data-type="${kind.type.name}" data-modified="${item?.modified_gmt ?? ''}"
  data-locked="${lockedBy === null ? '' : '1'}" data-heartbeat="${locks ? urls.site(branding.ajaxPath) : ''}"
  data-word="${branding.word}" data-nonce-field="${branding.nonceParameter}"
  data-login="${urls.site(branding.loginPath)}" data-rich="${isRich(view, shown) ? '1' : ''}"${editor}`
  return html`<form
    id="writing"
    class="writing"
    method="post"
    enctype="multipart/form-data"
    action="${view.url(view.path)}"
    ${data}
  >
    ${view.formFields()}
    <input type="hidden" name="tag" value="${tag}" />
    <input type="hidden" name="mode" value="${draft.mode}" />
    ${kind.hasFootnotes ? html`<input type="hidden" name="footnotes" value="${draft.footnotes}" />` : null}
    <fieldset class="bare" ${off}>
      <legend class="hidden">${t('Content')}</legend>
      <div class="writing-text">
        ${titleField(view, shown)}${has(kind, 'editor') ? contentField(view, shown) : null}
      </div>
      ${await bar(view, shown)}
      <div class="writing-sidebar" tabindex="-1" role="region" aria-label="${t('Settings')}">
        <div id="writing-post" class="boxes">${boxes}</div>
      </div>
    </fieldset>
  </form>`
}

/** Whether scripts open the rich editor: for HTML, and for new content unless the URL names a format. */
function isRich(view: AdminView, { kind, draft }: Shown): boolean {
  if (!has(kind, 'editor') || view.query.has('mode')) return false
  return draft.mode === 'html' || draft.content === ''
}

function titleField(view: AdminView, { kind, draft, errors }: Shown): PageHtml | null {
  if (!has(kind, 'title')) return null
  const { t } = view
  return html`<div class="writing-title">
    ${textField({ name: 'title', label: t('Title'), value: draft.title, error: errors['title'], attributes: html` placeholder="${t('Add title')}" autocomplete="off"` })}
  </div>`
}

function excerptBox({ t }: AdminView, { kind, draft, errors }: Shown): PageHtml | null {
  if (!has(kind, 'excerpt')) return null
  const hint = t('A short summary shown in lists and feeds. Leave empty to use the beginning of the content.')
  const field = { name: 'excerpt', label: t('Excerpt'), value: draft.excerpt, rows: 3, error: errors['excerpt'], hint }
  return box(t('Excerpt'), textArea(field))
}

function contentField(view: AdminView, { draft, errors, item }: Shown): PageHtml {
  const { t } = view
  const isMarkdown = draft.mode === 'markdown'
  const other =
    item === null && draft.content === ''
      ? html`<a data-without-script href="${view.here({ mode: isMarkdown ? 'html' : 'markdown' })}"
          >${isMarkdown ? t('Switch to HTML') : t('Switch to Markdown')}</a
        >`
      : isMarkdown
        ? html`<button data-without-script type="submit" name="do" value="as-html" formnovalidate>
            ${t('Convert to HTML')}
          </button>`
        : null
  const field = textArea({
    name: 'content',
    label: isMarkdown ? t('Content (Markdown)') : t('Content (HTML)'),
    value: draft.content,
    rows: 24,
    error: errors['content'],
    attributes: html` class="code" data-content spellcheck="true"`,
    hint: isMarkdown ? markdownHint(view) : htmlHint(view),
  })
  return html`<div class="content">
    ${field}
    <div class="actions">
      <button type="button" data-insert-picture="${view.plugin.branding.blockMark}" hidden>${t('Insert image')}</button>
      ${other}
    </div>
    <div class="preview" data-preview>
      <h2>${t('Preview')}</h2>
      <iframe name="preview" title="${t('Preview of the content')}" sandbox="allow-same-origin"></iframe>
    </div>
  </div>`
}

/** The bar with the buttons of the form, which stays in view. */
async function bar(view: AdminView, { kind, item, draft }: Shown): Promise<PageHtml> {
  const { t } = view
  const zone = await view.plugin.services.options.get<TimeZone>('timezone', 'UTC')
  const now = (localFromUtc(new Date().toISOString().slice(0, 19), zone) ?? '').replace(' ', 'T')
  const publishes = view.can(kind.type.capabilities.publish_posts)
  const isOut = ['publish', 'private', 'future'].includes(item?.status ?? '')
  const publish = isOut
    ? null
    : publishes
      ? html`<button
          type="submit"
          name="do"
          value="publish"
          class="primary"
          data-now="${now}"
          data-publish="${t('Publish')}"
          data-schedule="${t('action|Schedule')}"
        >
          ${draft.date > now ? t('action|Schedule') : t('Publish')}
        </button>`
      : html`<button type="submit" name="do" value="publish" class="primary">${t('Submit for review')}</button>`
  const save = html`<button type="submit" name="do" value="save" data-save ${isOut ? html` class="primary"` : null}>
    ${isOut ? t('Update') : t('Save')}
  </button>`
  const modes = [
    ['rich', t('Blocks')],
    ['html', t('HTML')],
    ['markdown', t('Markdown')],
  ] as const
  const editor = has(kind, 'editor')
    ? html`<div class="writing-modes" role="group" aria-label="${t('Editor')}">
          ${modes.map(([mode, label]) => html`<button type="button" data-mode="${mode}" aria-pressed="false" hidden>${label}</button>`)}
        </div>
        <button type="submit" name="do" value="preview" formtarget="preview" formnovalidate>
          ${t('action|Preview')}
        </button>`
    : null
  return html`<div class="writing-bar">
    <p class="state" data-state role="status"></p>
    <div class="actions">
      ${editor}
      <button type="button" data-settings aria-expanded="true" hidden>${t('Settings')}</button>
      ${save}${publish}
    </div>
  </div>`
}

async function statusBox(view: AdminView, { kind, item, draft, errors }: Shown): Promise<PageHtml> {
  const { t } = view
  const publishes = view.can(kind.type.capabilities.publish_posts)
  const isOut = ['publish', 'private', 'future'].includes(item?.status ?? '')
  const statuses: Choice[] = [
    { value: 'draft', label: t('post status|Draft') },
    { value: 'pending', label: t('Pending review') },
    ...(publishes || item?.status === 'publish' ? [{ value: 'publish', label: t('post status|Published') }] : []),
    ...(publishes || item?.status === 'private' ? [{ value: 'private', label: t('post status|Private') }] : []),
    ...(draft.status === 'future' || item?.status === 'future'
      ? [{ value: 'future', label: t('post status|Scheduled') }]
      : []),
  ]
  // Without this option, storing the form would change a status that a plugin has registered.
  if (!statuses.some(({ value }) => value === draft.status)) statuses.push({ value: draft.status, label: draft.status })
  const sticky =
    kind.type.name === 'post' && view.can(kind.type.capabilities.edit_others_posts) && publishes
      ? html`<input
            type="hidden"
            name="sticky"
            value=""
          />${checkbox({ name: 'sticky', label: t('Stick to the top of the blog'), checked: draft.sticky, error: errors['sticky'] })}`
      : null
  // Hidden until the first save stores a new post.
  const later = item === null ? html` hidden` : null
  // A script adds the URL when it has stored a new post.
  const revisionsUrl = item === null ? null : html`href="${view.url(`${view.path}/revisions`)}"`
  const links = html`<ul class="links">
    ${item !== null && isOut && kind.type.viewable ? html`<li><a href="${item.link}">${t('View on site')}</a></li>` : null}
    <li><a ${revisionsUrl} data-of-stored="/revisions" ${later}>${t('Revisions')}</a></li>
  </ul>`
  const share =
    kind.type.viewable && view.plugin.has('previews')
      ? html`<button type="submit" name="do" value="share" formnovalidate data-of-stored${later}>
          ${t('Create preview link')}
        </button>`
      : null
  const trash = html`<button
    type="submit"
    name="do"
    value="trash"
    class="danger"
    formnovalidate
    data-of-stored
    data-confirm="${t('Move to trash?')}"
    ${later}
  >
    ${t('Move to trash')}
  </button>`
  const when = publishes
    ? textField({
        name: 'date',
        label: t('Date'),
        type: 'datetime-local',
        value: draft.date.slice(0, 16),
        error: errors['date'],
        hint: t('Site time zone. Choose a future date to schedule.'),
      })
    : null
  const fields = html`${selectField({ name: 'status', label: t('Status'), value: draft.status, choices: statuses, error: errors['status'] })}
    ${when}${publishes ? await presets(view) : null}
    ${textField({ name: 'slug', label: t('Slug'), value: draft.slug, error: errors['slug'], hint: t('The last part of the URL. Leave empty to generate it from the title.') })}
    ${item !== null && kind.type.viewable ? html`<p class="hint writing-link">${item.link}</p>` : null}
    ${textField({ name: 'password', label: t('Password'), value: draft.password, error: errors['password'], hint: t('Only people with the password can read this. Leave empty to make it public.'), attributes: html` autocomplete="off"` })}
    ${sticky}${links}
    <div class="actions">${share}${trash}</div>`
  return box(t('Status and visibility'), fields)
}

/** Buttons that set the date; only scripts show them. */
async function presets({ t, plugin }: AdminView): Promise<PageHtml> {
  const zone = await plugin.services.options.get<TimeZone>('timezone', 'UTC')
  const dayIn = (days: number) =>
    (localFromUtc(new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19), zone) ?? '').slice(0, 10)
  const choices: readonly (readonly [string, string])[] = [
    [t('Now'), ''],
    [t('Tomorrow, 9:00'), `${dayIn(1)}T09:00`],
    [t('In a week, 9:00'), `${dayIn(7)}T09:00`],
  ]
  return html`<p class="actions presets">
    ${choices.map(([label, date]) => html`<button type="button" data-date="${date}" hidden>${label}</button>`)}
  </p>`
}
