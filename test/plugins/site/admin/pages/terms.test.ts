import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hiddenValue } from '../../../../helpers/admin-forms.ts'
import { act, create, enter, nextOf, noticeOf, pageOf, rowsOf, sendFields } from '../../../../helpers/admin-lists.ts'
import { databases, serveWithUsers } from '../../../../helpers/site-with-users.ts'
import { startOnly } from '../../../../helpers/site.ts'
import { definePlugin, html } from '../../../../../plugins/public.ts'

startOnly('admin', 'terms')

const colors: string[] = []
const garden = definePlugin({
  name: 'garden',
  needs: ['meta', 'admin'],
  apply({ services }) {
    services.meta.register('term', 'height', { type: 'integer', single: true, show_in_rest: true })
    services.admin.addColumn('category', {
      name: 'soil',
      label: 'Soil',
      cell: ({ slug }) => `soil of <${String(slug)}>`,
    })
    services.admin.addPanel('category', {
      name: 'colour',
      title: 'Colour',
      show: () => html`<label>Colour <input name="colour" /></label>`,
      save: (_view, _term, form) => void colors.push(String(form['colour'])),
    })
  },
})

const list = '/svc-admin/terms/category'

for (const { name, place } of databases) {
  const terms = suite(`terms in the admin on ${name}`)
  const open = () => serveWithUsers(place, { add: [garden] })

  terms('are added next to their tree, and found by name', async () => {
    await using site = await open()
    const editor = await enter(site, 'ed')
    assert.match(await act(editor, list, [['name', 'Trees & <b>shrubs</b>']]), 'Trees &#38;')
    const [top = 0] = rowsOf(await pageOf(editor, `${list}?search=Trees`))
    assert.match(
      noticeOf(
        await act(editor, list, [
          ['name', 'Oak'],
          ['parent', top],
          ['slug', 'oak-tree'],
        ]),
      ),
      '“Oak” added.',
    )
    const text = await pageOf(editor, list)
    assert.not.match(text, '<b>shrubs')
    assert.match(text, /<span class="depth" aria-hidden="true">— <\/span>/)
    assert.match(text, 'soil of &#60;oak-tree&#62;')
    const oak = rowsOf(text).find((id) => text.includes(`terms/category/${id}"`) && id !== top)!
    assert.equal(rowsOf(await pageOf(editor, `${list}?parent=${top}`)), [oak])
    assert.equal(rowsOf(await pageOf(editor, `${list}?search=zzz`)), [])
    const twice = await sendFields(editor, list, [
      ['name', 'Oak'],
      ['parent', top],
    ])
    assert.is(twice.status, 400)
    const refused = await twice.text()
    assert.match(refused, /aria-invalid="true"/)
    assert.match(refused, 'value="Oak"')
    const writer = await enter(site, 'ann')
    assert.is((await writer.open(list)).status, 403)
    assert.is((await editor.open('/svc-admin/terms/nav_menu')).status, 403)
    assert.is((await editor.open('/svc-admin/terms/nothing')).status, 404)
  })

  terms('are edited with meta and panels of plugins, without losing changes of other users', async () => {
    await using site = await open()
    const id = await create(site, 'ed', 'categories', { name: 'Beds', description: 'one\ntwo' })
    const editor = await enter(site, 'ed')
    const path = `${list}/${id}`
    const text = await pageOf(editor, path)
    const was = hiddenValue(text, 'was')
    const form = (more: readonly [string, string][]): [string, string][] => [
      ['was', was],
      ['name', 'Beds'],
      ['slug', 'beds'],
      ['description', 'one\r\ntwo'],
      ...more,
    ]
    const saved = await act(
      editor,
      path,
      form([
        ['name', 'Rows'],
        ['meta[height]', '7'],
        ['colour', 'green'],
      ]),
    )
    assert.match(noticeOf(saved), '“Rows” updated.')
    const term = await site.json(`/svc/v2/categories/${id}?context=edit`, site.by('ed'))
    assert.equal([term.name, term.description, term.meta.height], ['Rows', 'one\ntwo', 7])
    assert.is(colors.pop(), 'green')
    const late = await sendFields(editor, path, form([['name', 'Other']]))
    assert.is(late.status, 409)
    assert.match(await late.text(), 'Someone else saved changes. Save again to overwrite them.')
    const wrong = await sendFields(editor, path, [
      ['name', ''],
      ['slug', 'beds'],
    ])
    assert.is(wrong.status, 409)
  })

  terms('are deleted one by one or in bulk, and their children move up', async () => {
    await using site = await open()
    // The first category is the default, which cannot be deleted.
    const preset = await create(site, 'ed', 'categories', { name: 'Preset' })
    const top = await create(site, 'ed', 'categories', { name: 'Top' })
    const middle = await create(site, 'ed', 'categories', { name: 'Middle', parent: top })
    const low = await create(site, 'ed', 'categories', { name: 'Low', parent: middle })
    const editor = await enter(site, 'ed')
    assert.match(await pageOf(editor, `${list}/${middle}`), '1 child will move up one level.')
    assert.match(noticeOf(await act(editor, `${list}/${middle}`, [['do', 'delete']])), '1 item permanently deleted.')
    assert.is((await site.json(`/svc/v2/categories/${low}`)).parent, top)
    const deleted = await act(editor, list, [
      ['do', 'delete'],
      ['ids[]', top],
      ['ids[]', low],
      ['ids[]', preset],
    ])
    assert.match(noticeOf(deleted), /2 items permanently deleted\. 1 item failed: “Preset”/)
    assert.match(
      noticeOf(
        await act(editor, list, [
          ['do', 'row'],
          ['row', `delete:${preset}`],
        ]),
      ),
      '1 item failed',
    )
  })

  terms('are paged in each order, with a constant number of statements', async () => {
    await using site = await open()
    const { store } = site
    const rows = Array.from({ length: 150 }, (_, index) => ({
      taxonomy: 'post_tag',
      name: `Tag ${String(index % 40).padStart(3, '0')}`,
      slug: `tag-${index}`,
      count: index % 3,
    }))
    await store.run(store.db.insertInto('terms').values(rows))
    const editor = await enter(site, 'ed')
    for (const query of ['', 'orderby=count&order=desc', 'orderby=slug&per_page=50']) {
      const found: number[] = []
      let next: string | undefined = `/svc-admin/terms/post_tag?${query}`
      for (let step = 0; next !== undefined && step < 20; step += 1) {
        const text: string = await pageOf(editor, next)
        found.push(...rowsOf(text))
        next = nextOf(text)
      }
      assert.is(new Set(found).size, 150, query)
      assert.is(found.length, 150, query)
    }
    const statements = async (size: number) =>
      (await site.statements(() => pageOf(editor, `/svc-admin/terms/post_tag?per_page=${size}`))).length
    await statements(5)
    assert.is(await statements(100), await statements(5))
  })

  terms.run()
}
