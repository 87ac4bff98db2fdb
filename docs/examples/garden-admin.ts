// An admin page with an upload form, a stylesheet and German translations, a panel in the post editor, and its module.
import { join } from 'node:path'
import { definePlugin, html, type AdminView } from 'svc-rest'

/** Lists garden beds in the admin, and lets authors assign a post to a bed. */
export default definePlugin({
  name: 'garden',
  description: 'Manages the beds of a garden.',
  needs: ['admin', 'settings'],
  apply({ services: { admin, options } }) {
    const beds = () => options.get<string[]>('garden_beds', [])
    const bedOf = (id: unknown) => options.get(`garden_bed_${Number(id)}`, '')
    admin.addAssets('garden', join(import.meta.dirname, 'garden-admin'))
    admin.addModule({ name: 'garden/editor', file: 'garden/editor.js', editor: true })
    admin.addWords('de', { Garden: 'Garten', 'New bed': 'Neues Beet', 'Added {bed}.': '{bed} hinzugefügt.' })
    admin.addPage({
      path: 'garden',
      title: 'Garden',
      capability: 'edit_others_posts',
      menu: { position: 35 },
      styles: ['garden/garden.css'],
      uploads: true,
      show: async (view) => ({ main: html`${await list(view)} ${form(view)}` }),
      actions: {
        async add(view) {
          const bed = view.text('bed').trim().slice(0, 100)
          if (bed === '') return { status: 400, main: form(view, 'Enter a name.') }
          const picture = view.files.find(({ size }) => size > 0)
          if (picture !== undefined)
            await view.ask('POST', 'media', { body: { title: bed }, files: [{ ...picture, name: 'file' }] })
          await options.set('garden_beds', [...(await beds()), bed])
          return view.redirect(view.url('garden'), { kind: 'done', text: view.t('Added {bed}.', { bed }) })
        },
      },
    })
    admin.addPanel('post', {
      name: 'bed',
      title: 'Bed',
      show: async (_view, item) =>
        html`<label for="bed">Bed</label> <input id="bed" name="garden_bed" value="${await bedOf(item?.['id'])}" />`,
      save: (_view, item, sent) =>
        options.set(`garden_bed_${Number(item['id'])}`, String(sent['garden_bed']).slice(0, 100)),
    })
    async function list({ count }: AdminView) {
      const all = await beds()
      return html`<p>${count(all.length, 'One bed', '{count} beds')}</p>
        <ul class="garden-beds">
          ${all.map((bed) => html`<li>${bed}</li>`)}
        </ul>`
    }
  },
})

function form(view: AdminView, error = '') {
  return html`${view.formStart('add', html` enctype="multipart/form-data"`)}
    <p role="alert">${error}</p>
    <label for="bed">${view.t('New bed')}</label> <input id="bed" name="bed" required />
    <label for="picture">${view.t('Picture')}</label> <input id="picture" name="picture" type="file" accept="image/*" />
    <button type="submit">${view.t('Save')}</button></form>`
}
