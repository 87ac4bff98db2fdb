import type { SitePage } from '../../../../../kernel/index.ts'
import { html, type PageHtml } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { withoutLockedMeta } from '../../parts/locked-meta.ts'
import type { AdminContent } from '../../admin.ts'
import { errors } from '../../errors.ts'
import { diffHtml, type Compared } from './diff.ts'
import { keepMarkdown, markdownOf } from './markdown-source.ts'
import { has, itemOf, kindOf, type Item, type Kind, type Saved } from './item.ts'

/** Maximum number of revisions on the page, the newest first; older revisions are not shown. */
const MAX_REVISIONS = 100

/** A version of a post: a revision, an autosave, or the post itself. */
interface Version {
  readonly id: number
  readonly label: string
  /** GMT. */
  readonly at: string
  readonly by: string
  readonly texts: Pick<Saved, 'title' | 'content' | 'excerpt' | 'meta'>
  readonly isAutosave?: boolean
}

/** Lists the versions of a post and shows the differences between two of them. */
export async function show(view: AdminView): Promise<AdminContent> {
  const { t } = view
  const kind = await kindOf(view)
  const item = await itemOf(view, kind)
  if (item === null) throw errors.admin_page_not_found()
  const versions = await versionsOf(view, kind, item)
  const to = chosen(versions, view.query.get('to')) ?? versions[0]!
  // An autosave is newer than the current version; other versions are compared with the previous one.
  const previous = to.isAutosave === true ? versions[0] : versions[versions.indexOf(to) + 1]
  const from = chosen(versions, view.query.get('from')) ?? previous
  const title = item.title?.raw || t('(no title)')
  return {
    title: t('Revisions of “{title}”', { title }),
    headingActions: html`<a href="${view.url(`content/${kind.type.name}/${item.id}`)}">${t('Back to editor')}</a>`,
    main:
      versions.length === 1
        ? html`<p class="empty">${t('No revisions yet. Each update of the text adds one.')}</p>`
        : html`${list(view, versions, from ?? to, to)} ${await comparison(view, kind, item, { from: from ?? to, to })}`,
  }
}

/** Renders the differences between two versions, with a button for each that can be restored. */
async function comparison(
  view: AdminView,
  kind: Kind,
  item: Item,
  { from, to }: { readonly from: Version; readonly to: Version },
): Promise<PageHtml> {
  const { t } = view
  const { plainPages: pages } = view.plugin.services
  const older = new Set([from, to].filter(({ id }) => id !== item.id))
  const buttons = [...older].map((one) =>
    view.button(t('Restore {version}…', { version: one.label }), 'ask-restore', { id: one.id }),
  )
  return html`<section aria-labelledby="difference">
    <h2 id="difference">${t('Changes from {from} to {to}', { from: from.label, to: to.label })}</h2>
    <p>${view.date(from.at)} (${pages.stored(from.by)}) → ${view.date(to.at)} (${pages.stored(to.by)})</p>
    ${await differences(view, kind, from, to)}
    <p class="actions">${buttons}</p>
  </section>`
}

/** Returns the post of the page, the versions of its texts and the version of a submitted form. */
async function submittedVersion(view: AdminView) {
  const kind = await kindOf(view)
  const item = await itemOf(view, kind)
  if (item === null) throw errors.admin_page_not_found()
  const versions = await versionsOf(view, kind, item)
  const version = chosen(versions, view.text('id'))
  if (version === undefined) throw errors.admin_page_not_found()
  return { kind, item, current: versions[0]!, version }
}

export const actions = {
  /** Asks for confirmation, and shows what restoring a version changes. */
  async 'ask-restore'(view: AdminView): Promise<AdminContent> {
    const { t, plugin } = view
    const { kind, current, version } = await submittedVersion(view)
    return {
      title: t('Restore {version}?', { version: version.label }),
      main: html`<p>${view.date(version.at)} (${plugin.services.plainPages.stored(version.by)})</p>
        <p>${t('The texts change as shown below. The current version stays available as a revision.')}</p>
        ${await differences(view, kind, current, version)}
        <div class="actions">
          ${view.button(t('Restore'), 'restore', { id: version.id }, html` class="primary"`)}
          <a class="button" href="${view.here()}">${t('Cancel')}</a>
        </div>`,
    }
  },

  /** Restores a version; the current version becomes a revision. */
  async restore(view: AdminView): Promise<SitePage> {
    const { t } = view
    const { kind, item, version } = await submittedVersion(view)
    const { title, content, excerpt, meta } = version.texts
    const restoredMeta = withoutLockedMeta(view, kind.type.name, metaOf(meta))
    const source = content === undefined ? null : await markdownOf(view, version.id, content.raw)
    const { data } = await view.ask<Item>('PUT', `${kind.route}/${item.id}`, {
      body: {
        ...(has(kind, 'title') && title !== undefined && { title: title.raw }),
        ...(has(kind, 'editor') && content !== undefined && { content: content.raw }),
        ...(has(kind, 'excerpt') && excerpt !== undefined && { excerpt: excerpt.raw }),
        ...(Object.keys(restoredMeta).length > 0 && { meta: restoredMeta }),
      },
    })
    if (source !== null) await keepMarkdown(view, item.id, data.content?.raw ?? '', source)
    return view.redirect(view.url(`content/${kind.type.name}/${item.id}`), {
      kind: 'done',
      text: t('Revision restored.'),
    })
  },
}

async function versionsOf(view: AdminView, kind: Kind, item: Item): Promise<Version[]> {
  const { t } = view
  const query = { context: 'edit', per_page: MAX_REVISIONS }
  const path = `${kind.route}/${item.id}`
  const revisions = (await view.find<Saved[]>(`${path}/revisions`, { query })) ?? []
  const autosaves = (await view.find<Saved[]>(`${path}/autosaves`, { query: { context: 'edit' } })) ?? []
  const ids = new Set(autosaves.map(({ id }) => id))
  const names = await namesOf(view, [item.author ?? 0, ...[...revisions, ...autosaves].map(({ author }) => author)])
  const saved = [...revisions.filter(({ id }) => !ids.has(id)), ...autosaves].sort(
    (one, other) => other.modified_gmt.localeCompare(one.modified_gmt) || other.id - one.id,
  )
  // Each save also stores a revision with the same texts. It names the user who saved the current version.
  const [newest] = saved.filter(({ id }) => !ids.has(id))
  const copy = newest !== undefined && hasSameTexts(newest, item) ? newest : undefined
  const current: Version = {
    id: item.id,
    label: t('Current version'),
    at: copy?.modified_gmt ?? item.modified_gmt,
    by: names.get(copy?.author ?? item.author ?? 0) ?? '',
    texts: item,
  }
  const others = saved.filter((one) => one !== copy)
  return [
    current,
    ...others.map((one) => ({
      id: one.id,
      label: ids.has(one.id) ? t('Autosave {id}', { id: one.id }) : t('Revision {id}', { id: one.id }),
      at: one.modified_gmt,
      by: names.get(one.author) ?? '',
      texts: one,
      isAutosave: ids.has(one.id),
    })),
  ]
}

/** Whether a revision has the texts and the meta of the post. */
function hasSameTexts(saved: Saved, item: Item): boolean {
  const isSame = (['title', 'content', 'excerpt'] as const).every(
    (name) => (saved[name]?.raw ?? '') === (item[name]?.raw ?? '') || saved[name] === undefined,
  )
  const [before, after] = [metaOf(saved.meta), metaOf(item.meta)]
  const keys = Object.keys(before).filter((key) => Object.hasOwn(after, key))
  return isSame && keys.every((key) => JSON.stringify(before[key]) === JSON.stringify(after[key]))
}

async function namesOf(view: AdminView, ids: readonly number[]): Promise<Map<number, string>> {
  const { users } = view.plugin.services
  const names = new Map<number, string>()
  // Read with the service: the REST API hides users without published content from users who cannot edit them.
  for (const id of new Set(ids)) names.set(id, (await users.get(id, view.request.scope))?.name ?? '')
  return names
}

function list(view: AdminView, versions: readonly Version[], from: Version, to: Version): PageHtml {
  const { t, plugin } = view
  const rows = versions.map((version) => {
    const choice = (name: 'from' | 'to', label: string, isChosen: boolean) =>
      html`<input
        type="radio"
        name="${name}"
        value="${version.id}"
        aria-label="${label}"
        ${isChosen ? html` checked` : null}
      />`
    return html`<tr>
      <td class="choose">
        ${choice('from', t('Compare from {version}', { version: version.label }), version === from)}
      </td>
      <td class="choose">${choice('to', t('Compare to {version}', { version: version.label }), version === to)}</td>
      <th scope="row">${version.label}</th>
      <td>${view.date(version.at)}</td>
      <td>${plugin.services.plainPages.stored(version.by)}</td>
    </tr>`
  })
  return html`<form method="get" action="${view.url(view.path)}">
    <div class="scrolled revisions">
      <table>
        <caption class="hidden">
          ${t('Revisions')}
        </caption>
        <thead>
          <tr>
            <th scope="col">${t('revision|From')}</th>
            <th scope="col">${t('revision|To')}</th>
            <th scope="col">${t('Revision')}</th>
            <th scope="col">${t('Date')}</th>
            <th scope="col">${t('Author')}</th>
          </tr>
        </thead>
        <tbody>
          ${rows}
        </tbody>
      </table>
    </div>
    <p><button type="submit">${t('Compare')}</button></p>
  </form>`
}

async function differences(view: AdminView, kind: Kind, from: Version, to: Version): Promise<PageHtml> {
  const { t } = view
  const texts: Compared[] = (
    [
      ['title', t('Title')],
      ['content', t('Content')],
      ['excerpt', t('Excerpt')],
    ] as const
  ).map(([name, label]) => [label, from.texts[name]?.raw ?? '', to.texts[name]?.raw ?? ''])
  const [before, after] = [metaOf(from.texts.meta), metaOf(to.texts.meta)]
  for (const name of Object.keys(before).filter((one) => Object.hasOwn(after, one))) {
    const title = kind.properties['meta']?.properties?.[name]?.title || name
    texts.push([title, written(before[name]), written(after[name])])
  }
  const diffs = await diffHtml(view, texts)
  return diffs.length === 0 ? html`<p>${t('No differences.')}</p>` : html`${diffs}`
}

function metaOf(meta: Saved['meta']): Readonly<Record<string, unknown>> {
  return meta === undefined || Array.isArray(meta) ? {} : (meta as Readonly<Record<string, unknown>>)
}

const written = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, null, 2))

const chosen = (versions: readonly Version[], id: string | null) => versions.find((one) => String(one.id) === id)
