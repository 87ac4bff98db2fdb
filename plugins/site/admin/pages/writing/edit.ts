import { HeaderMap, RestError, type SitePage } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import { refreshLock, takeLock } from '../../../../content/editor-ajax/index.ts'
import type { Notice } from '../../frame/notice.ts'
import { FORM_NONCE, type AdminView } from '../../frame/view.ts'
import type { AdminAnswer, AdminContent } from '../../admin.ts'
import { contentOf, markdownOfContent } from './content.ts'
import { diffHtml } from './diff.ts'
import { newDraft, sentDraft, storedDraft, type Draft } from './draft.ts'
import { formHtml } from './form.ts'
import { guardQuery, has, itemOf, kindOf, newerAutosave, type Item, type Kind, type Saved } from './item.ts'
import { keepMarkdown } from './markdown-source.ts'
import { previewPage } from './preview.ts'
import { singularOf } from '../content/types.ts'
import { MEDIA_PICKER, mediaPicker } from '../../parts/media-picker.ts'
import { checkPanels, openPanels } from '../../parts/panels.ts'
import { store, type Refusal } from './save.ts'

/** A submitted form: the post as stored, and the values of the form. */
interface Sent {
  readonly kind: Kind
  readonly item: Item | null
  readonly before: Draft
  readonly draft: Draft
  /** Entity tag of the version that the user opened. */
  readonly tag: string
}

/** The plain editor, which works in every browser. */
export async function show(view: AdminView): Promise<AdminAnswer> {
  if (view.query.get('part') === 'nonce') return nonceAnswer(view)
  const kind = await kindOf(view)
  const tag = await tagOf(view, kind)
  const item = await itemOf(view, kind)
  if (item === null) return page(view, { kind, item, draft: newDraft(view, kind), tag: '' })
  const saved = await newerAutosave(view, kind, item)
  const isShown = saved !== null && view.query.get('autosave') === String(saved.id)
  const draft = await storedDraft(view, kind, item, isShown ? saved : null)
  return page(view, { kind, item, draft, tag, above: autosaveNotice(view, saved, isShown) })
}

export const actions = {
  /** Stores the form. */
  save: (view: AdminView) => storeForm(view, null),
  /** Publishes the post, or submits it for review if the user cannot publish. */
  publish: (view: AdminView) => storeForm(view, 'publish'),

  /** Renders a preview of the post. */
  async preview(view: AdminView): Promise<AdminAnswer> {
    const { kind, item, draft } = await sentOf(view)
    return previewPage(view, kind, item, draft)
  },

  /** Converts the content to HTML without storing it. */
  async 'as-html'(view: AdminView): Promise<AdminAnswer> {
    const { kind, item, draft, tag } = await sentOf(view)
    const content = await contentOf(view, draft, item)
    return page(view, { kind, item, draft: { ...draft, content, mode: 'html' }, tag })
  },

  /** Autosaves the texts for a script, and responds with JSON. The first autosave of a new post stores a draft. */
  async autosave(view: AdminView): Promise<SitePage> {
    const sent = await sentOf(view)
    return sent.item === null ? createDraft(view, sent) : respondToAutosave(view, sent, sent.item)
  },

  /** Converts Markdown to blocks for a script, and responds with JSON. */
  async 'as-blocks'(view: AdminView): Promise<SitePage> {
    const { draft, item } = await sentOf(view)
    return answer(200, { content: await contentOf(view, { ...draft, mode: 'markdown' }, item) })
  },

  /** Converts blocks to Markdown for a script, and responds with JSON. */
  async 'as-markdown'(view: AdminView): Promise<SitePage> {
    const { draft } = await sentOf(view)
    const content = await markdownOfContent(view, draft.content)
    const message = view.t('Convert the classic content to blocks first: only blocks can be edited as Markdown.')
    return content === null ? answer(422, { message }) : answer(200, { content })
  },

  /** Takes over the lock of the post. */
  async take(view: AdminView): Promise<SitePage> {
    const kind = await kindOf(view)
    const item = await itemOf(view, kind)
    const { plugin } = view
    if (item !== null && plugin.has('editor-ajax')) await takeLock(plugin, item.id, view.user)
    return view.redirect(view.url(view.path))
  },

  /** Creates a public link to the saved texts. */
  async share(view: AdminView): Promise<AdminAnswer> {
    const sent = await sentOf(view)
    const { kind, item, draft, tag } = sent
    if (item === null) return page(view, sent)
    const result = await autosave(view, sent, item)
    if (result.kind === 'conflict') return conflict(view, sent)
    const { data } = await view.ask<{ link: string; expires: string }>('POST', `${kind.route}/${item.id}/preview`)
    const notice = html`<p class="notice" role="status">
      ${view.t('Anyone with this link can view the draft until')} ${view.date(data.expires)}:
      <a href="${data.link}">${data.link}</a>
    </p>`
    return page(view, { kind, item, draft, tag: (await tagOf(view, kind)) || tag, above: notice })
  },

  /** Moves the post to the trash. */
  async trash(view: AdminView): Promise<SitePage> {
    const kind = await kindOf(view)
    const item = await itemOf(view, kind)
    if (item !== null) await view.ask('DELETE', `${kind.route}/${item.id}`)
    return view.redirect(view.url(`content/${kind.type.name}`), {
      kind: 'done',
      text: view.t('Moved to trash.'),
    })
  },
}

async function sentOf(view: AdminView): Promise<Sent> {
  const kind = await kindOf(view)
  const item = await itemOf(view, kind)
  const before = item === null ? newDraft(view, kind) : await storedDraft(view, kind, item)
  return { kind, item, before, draft: sentDraft(view, kind, before), tag: view.text('tag') }
}

async function storeForm(view: AdminView, action: 'publish' | null): Promise<AdminAnswer> {
  const { t } = view
  const sent = await sentOf(view)
  const { kind, item, draft } = sent
  const refused = await checkPanels(view, kind.type.name, item)
  if (Object.keys(refused).length > 0) return page(view, { ...sent, errors: refused })
  const publishes = view.can(kind.type.capabilities.publish_posts)
  const status =
    action === null ? draft.status : publishes ? (draft.status === 'private' ? 'private' : 'publish') : 'pending'
  const outcome = await store(view, { ...sent, status })
  if (outcome.kind === 'conflict') return conflict(view, sent)
  if (outcome.kind === 'refused') return page(view, { ...sent, errors: outcome.errors })
  const stored = outcome.item
  const problem = await savePanels(view, kind, stored)
  const notice: Notice =
    problem === null
      ? {
          kind: 'done',
          text: savedText(view, stored, item),
          ...(kind.type.viewable &&
            stored.status === 'publish' && { link: { href: stored.link, label: t('View on site') } }),
        }
      : { kind: 'error', text: problem }
  return view.redirect(view.url(`content/${kind.type.name}/${stored.id}`), notice)
}

function savedText({ t }: AdminView, { status }: Item, before: Item | null): string {
  if (status === before?.status) return t('Saved.')
  if (status === 'publish') return t('Published.')
  if (status === 'future') return t('Scheduled.')
  if (status === 'pending') return t('Submitted for review.')
  return t('Saved.')
}

/**
 * Calls `save` of the panels of plugins. Returns the message of the first `RestError` below 500, with which a panel
 * refuses its fields; the post itself stays stored, and the remaining panels are not called.
 * @throws any other error
 */
async function savePanels(view: AdminView, kind: Kind, item: Item): Promise<string | null> {
  try {
    for (const { save } of openPanels(view, kind.type.name)) await save?.(view, item, view.form)
    return null
  } catch (error) {
    if (!(error instanceof RestError) || error.status >= 500) throw error
    return error.message
  }
}

/** The result of an autosave. */
type AutosaveResult = { readonly kind: 'saved'; readonly tag: string } | { readonly kind: 'conflict' }

/** Saves the texts of a draft: in the post if it is an unpublished draft of the user, otherwise as an autosave. */
async function autosave(view: AdminView, { kind, before, draft, tag }: Sent, item: Item): Promise<AutosaveResult> {
  const inPlace = (item.status === 'draft' || item.status === 'auto-draft') && item.author === view.user.id
  // Another user has stored the post since it was opened: the autosave must not overwrite that version.
  if (inPlace && tag !== (await tagOf(view, kind))) return { kind: 'conflict' }
  const content = await contentOf(view, draft, item)
  const body: Record<string, unknown> = {
    ...(has(kind, 'title') && { title: draft.title }),
    ...(has(kind, 'editor') && { content }),
    ...(has(kind, 'excerpt') && { excerpt: draft.excerpt }),
  }
  const isNoteChanged = kind.hasFootnotes && draft.footnotes !== before.footnotes
  const meta = isNoteChanged ? { meta: { footnotes: draft.footnotes } } : {}
  try {
    // An autosave in place stores no meta.
    if (inPlace && isNoteChanged) await view.ask('PUT', `${kind.route}/${item.id}`, { body: meta })
    const { data } = await view.ask<Saved>('POST', `${kind.route}/${item.id}/autosaves`, {
      body: { ...body, ...meta },
      query: { context: 'edit' },
    })
    await keepMarkdown(view, data.id, data.content?.raw ?? '', draft.mode === 'markdown' ? draft.content : null)
  } catch (error) {
    if (!(error instanceof RestError) || error.code !== 'rest_autosave_no_changes') throw error
  }
  return { kind: 'saved', tag: inPlace ? await tagOf(view, kind) : tag }
}

async function respondToAutosave(view: AdminView, sent: Sent, item: Item): Promise<SitePage> {
  try {
    const result = await autosave(view, sent, item)
    return result.kind === 'conflict' ? answer(409, { conflict: true }) : answer(200, { tag: result.tag })
  } catch (error) {
    // Covers failed writes too, such as on a full disk: the script shows the message of the response.
    if (!(error instanceof RestError)) throw error
    return answer(error.status, { message: view.t(error.message) })
  }
}

/** Stores a new post as a draft for a script. Fields that cannot be stored are reported when the user saves. */
async function createDraft(view: AdminView, sent: Sent): Promise<SitePage> {
  const outcome = await store(view, { ...sent, draft: { ...sent.draft, metaErrors: {} }, status: 'draft' })
  if (outcome.kind !== 'stored')
    return answer(400, { message: outcome.kind === 'refused' ? Object.values(outcome.errors).join(' ') : '' })
  const { id } = outcome.item
  const tag = await view.tagOf(`${sent.kind.route}/${id}`, guardQuery(sent.kind))
  return answer(201, { id, tag, url: view.url(`content/${sent.kind.type.name}/${id}`) })
}

async function tagOf(view: AdminView, kind: Kind): Promise<string> {
  const id = view.params['id']
  return id === undefined ? '' : ((await view.tagOf(`${kind.route}/${id}`, guardQuery(kind))) ?? '')
}

/** Shows the version that another user has stored next to the text of this user, which stays in the form. */
async function conflict(view: AdminView, { kind, draft }: Sent): Promise<AdminContent> {
  const { t } = view
  // Reads both again, because the cached versions are out of date.
  const tag = await tagOf(view, kind)
  view.request.scope.clear()
  const item = await itemOf(view, kind)
  const content = await contentOf(view, draft, item)
  const diffs = await diffHtml(view, [
    [t('Title'), item?.title?.raw ?? '', draft.title],
    [t('Content'), item?.content?.raw ?? '', content],
    [t('Excerpt'), item?.excerpt?.raw ?? '', draft.excerpt],
  ])
  const above = html`<section class="card conflict" role="alert">
    <h2>${t('Someone else changed this while you were editing')}</h2>
    <p>${t('Your changes weren’t saved. They are still in the form below. Differences from the saved version:')}</p>
    ${diffs.length === 0 ? html`<p>${t('Same text; other fields changed.')}</p>` : diffs}
    <p class="actions">
      <button type="submit" form="writing" name="do" value="save">
        ${t('Keep my version (theirs stays as a revision)')}
      </button>
      <a class="button" href="${view.url(view.path)}">${t('Discard mine and use theirs')}</a>
    </p>
  </section>`
  return { ...(await page(view, { kind, item, draft, tag, above })), status: 409 }
}

/** Policies with which the rich editor and ProseMirror parse pasted HTML. */
const EDITOR_POLICIES = ['svc-editor-paste', 'ProseMirrorClipboard']

/** The data of the page. */
interface PageParts {
  readonly kind: Kind
  readonly item: Item | null
  readonly draft: Draft
  readonly tag: string
  readonly errors?: Refusal
  readonly above?: PageHtml | null
}

async function page(
  view: AdminView,
  { kind, item, draft, tag, errors = {}, above = null }: PageParts,
): Promise<AdminContent> {
  const { t } = view
  const lockedBy = item === null ? null : await holder(view, item)
  const isRefused = Object.keys(errors).length > 0
  const general = errors[''] ?? (isRefused ? t('Not saved. Please fix the highlighted fields.') : null)
  const refused =
    general === null ? null : html`<p class="notice error" role="alert">${general} ${unplaced(errors)}</p>`
  const picks = has(kind, 'thumbnail') || view.can('upload_files')
  const form = await formHtml(view, { kind, item, draft, tag, errors, lockedBy })
  return {
    title:
      item === null
        ? t('Add new: {type}', { type: singularOf(view, kind.type) })
        : t('Edit “{title}”', { title: item.title?.raw || t('(no title)') }),
    main: html`${lockNotice(view, lockedBy)}${refused}${above}${form}${picks ? mediaPicker(view) : null}`,
    ...(picks && { scripts: MEDIA_PICKER.scripts }),
    styles: [...(picks ? MEDIA_PICKER.styles : []), ...(has(kind, 'editor') ? ['core/editor.css'] : [])],
    sources: { 'trusted-types': EDITOR_POLICIES },
    headingActions: html`<a href="${view.url(`content/${kind.type.name}`)}">${t('← Back to list')}</a>`,
    ...(isRefused && { status: 400 }),
  }
}

/** Joins the messages of fields that the form does not contain. */
function unplaced(errors: Refusal): string {
  return Object.entries(errors)
    .filter(([name]) => name !== '')
    .map(([, message]) => message)
    .join(' ')
}

/** Locks the post for the user. Returns the name of another user who holds the lock, otherwise null. */
async function holder(view: AdminView, item: Item): Promise<string | null> {
  const { plugin, user, t } = view
  if (!plugin.has('editor-ajax')) return null
  const lock = await refreshLock(plugin, item.id, user)
  if (lock.user === user.id) return null
  return (await plugin.services.users.get(lock.user, view.request.scope))?.name || t('Another user')
}

function lockNotice(view: AdminView, name: string | null): PageHtml | null {
  if (name === null) return null
  const { t, plugin } = view
  const text = plugin.services.plainPages.stored(t('{name} is editing this.', { name }))
  return html`<div class="notice warning" role="alert">
    <p>${text} ${t('You can view this, or take over to edit it. Everything saved so far is kept.')}</p>
    ${view.button(t('Take over'), 'take')}
  </div>`
}

function autosaveNotice(view: AdminView, saved: Saved | null, isShown: boolean): PageHtml | null {
  if (saved === null) return null
  const { t } = view
  const compare = view.url(`${view.path}/revisions`, { to: saved.id })
  return html`<div class="notice warning" role="status">
    <p>
      ${isShown ? t('You are viewing the autosave. Save to keep it.') : t('There is a newer autosave.')}
      ${view.date(saved.modified_gmt)}
      ${isShown ? html`<a href="${view.url(view.path)}">${t('View the saved version')}</a>` : html`<a href="${view.here({ autosave: saved.id })}">${t('View the autosave')}</a>`}
      <a href="${compare}">${t('Compare')}</a>
    </p>
  </div>`
}

/**
 * Returns a new nonce as JSON. The script requests it if the nonce of the open page is refused, for example after the
 * user has logged in again in another tab.
 */
function nonceAnswer(view: AdminView): SitePage {
  const { services } = view.plugin
  return answer(200, { form: services.nonces.create(FORM_NONCE, view.user) })
}

function answer(status: number, body: Readonly<Record<string, unknown>>): SitePage {
  const headers = new HeaderMap({
    'Content-Type': 'application/json; charset=UTF-8',
    'Cache-Control': 'no-cache, must-revalidate, max-age=0, no-store, private',
    'X-Content-Type-Options': 'nosniff',
  })
  return { status, headers, body: JSON.stringify(body) }
}
