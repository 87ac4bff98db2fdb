import { html } from '../../../../library/markup/index.ts'
import { textField } from '../../parts/fields.ts'
import type { Step } from './step.ts'

/** The step that creates a draft and opens it in the editor. */
export const postStep: Step = {
  async show({ t }) {
    return {
      about: html`<p>${t('The editor opens with a draft. Readers see the post after you publish it.')}</p>`,
      fields: textField({ name: 'title', label: t('Title'), value: '', attributes: html` maxlength="250"` }),
      button: t('Write the post'),
    }
  },
  async save(view, next) {
    const title = view.text('title').trim() || view.t('My first post')
    const { data } = await view.ask<{ id: number }>('POST', 'posts', { body: { title, status: 'draft' } })
    await next()
    return { redirect: view.redirect(view.url(`content/post/${data.id}`)) }
  },
}
