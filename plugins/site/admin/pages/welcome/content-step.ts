import { untouchedSample, type UntouchedSample } from '../../../../operations/first-run/index.ts'
import { html } from '../../../../library/markup/index.ts'
import type { AdminView } from '../../frame/view.ts'
import { mayOpen } from '../../frame/menu.ts'
import { choiceField } from '../../parts/fields.ts'
import type { Step } from './step.ts'

/** The step that imports content, keeps the sample, or removes it. */
export const contentStep: Step = {
  async show(view, typed) {
    const { t, count } = view
    const sample = await removable(view)
    const { length } = sample.posts
    const choices = [
      {
        value: 'keep',
        label: length > 0 ? t('Keep the sample content, and change it') : t('Keep the content of this site'),
      },
      ...(length > 0 ? [{ value: 'empty', label: t('Start empty: delete the sample content') }] : []),
      ...((await mayImport(view)) ? [{ value: 'import', label: t('Import content from WordPress') }] : []),
    ]
    const removed = count(length, 'one post or page', '{count} posts and pages')
    const about = t(
      'Starting empty deletes {items} of the sample with their comments, categories and tags. Content that you have changed or written stays.',
      { items: removed },
    )
    return {
      about: html`<p>${t('Choose the first content of your site.')}</p>`,
      fields: html`${choiceField({
        name: 'content',
        label: t('Content'),
        values: ['keep'],
        choices,
        error: typed?.errors['content'],
        ...(length > 0 && { hint: about }),
      })}`,
      button: t('Continue'),
      isWrong: typed !== undefined,
    }
  },
  async save(view, next) {
    const { t } = view
    const chosen = view.text('content')
    if (chosen === 'keep') return { redirect: view.redirect(await next()) }
    if (chosen === 'import' && (await mayImport(view))) {
      await next()
      return { redirect: view.redirect(view.url('import')) }
    }
    const sample = await removable(view)
    if (chosen !== 'empty' || sample.posts.length === 0)
      return { values: {}, errors: { content: t('Choose one of these options.') } }
    await remove(view, sample)
    return { redirect: view.redirect(await next(), { kind: 'done', text: t('Sample content deleted.') }) }
  },
}

async function mayImport(view: AdminView): Promise<boolean> {
  const page = view.plugin.services.admin.find('import')?.page
  return page !== undefined && mayOpen(page, view)
}

function removable({ plugin }: AdminView): Promise<UntouchedSample> | UntouchedSample {
  return plugin.has('posts') ? untouchedSample(plugin.services.store) : { posts: [], terms: [] }
}

/** Deletes content through the REST API, so that its permissions and hooks apply. */
async function remove(view: AdminView, { posts, terms }: UntouchedSample): Promise<void> {
  const { contentTypes, taxonomies } = view.plugin.services
  const query = { force: true }
  for (const { id, type } of posts)
    await view.ask('DELETE', `${contentTypes.get(type)?.rest_base ?? type}/${id}`, { query })
  for (const { id, taxonomy } of terms)
    await view.ask('DELETE', `${taxonomies.get(taxonomy)?.rest_base ?? taxonomy}/${id}`, { query })
}
