import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { hiddenValue } from '../../../../helpers/admin-forms.ts'
import { act, create, enter, nextOf, noticeOf, pageOf, rowsOf, sendFields } from '../../../../helpers/admin-lists.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import { startOnly } from '../../../../helpers/site.ts'

startOnly('admin', 'comments')

const list = '/svc-admin/comments'

const createComment = (site: SiteWithUsers, content: string, more: object = {}) =>
  create(site, 'admin', 'comments', { post: 1, content, ...more })

const statusOf = async (site: SiteWithUsers, id: number) =>
  ((await site.json(`/svc/v2/comments/${id}?context=edit`, site.by('admin'))) as { status: string }).status

for (const { name, place } of databases) {
  const comments = suite(`comments in the admin on ${name}`)
  const open = () => serveWithUsers(place)

  comments('are listed by state, with escaped text, and without editorial notes', async () => {
    await using site = await open()
    const { store } = site
    const held = await createComment(site, 'Waiting here', {
      status: 'hold',
      author_name: 'Vera',
      author_email: 'vera@mail.example',
    })
    const approved = await createComment(site, 'Said')
    const spam = await createComment(site, 'Buy', { status: 'spam' })
    const row = { post_id: 1, author_name: '<i>Eve</i>', date: '2025-01-06 10:00:00', date_gmt: '2025-01-06 10:00:00' }
    await store.run(
      store.db.insertInto('comments').values([
        {
          ...row,
          content: '<script>alert(1)</script><img src=x onerror=alert(1)> \u202eשלום 🌳',
          approved: '1',
          type: 'comment',
        },
        { ...row, content: 'A secret note', approved: '1', type: 'note' },
        { ...row, content: 'x'.repeat(10_000), approved: '1', type: 'comment' },
      ]),
    )
    const editor = await enter(site, 'ed')
    const text = await pageOf(editor, list)
    assert.not.match(text, /<script>alert|<img src=x|<i>Eve|A secret note/)
    assert.ok(text.length < 60_000, String(text.length))
    assert.match(text, 'שלום 🌳')
    assert.match(text, 'vera@mail.example')
    assert.match(text, />Hello</)
    assert.match(text, /Pending <span class="number">\(1\)/)
    assert.match(text, /Spam <span class="number">\(1\)/)
    assert.match(text, /Comments<\/span> <span class="count">1<\/span>/)
    assert.is(rowsOf(text).length, 4)
    assert.equal(rowsOf(await pageOf(editor, `${list}?status=hold`)), [held])
    assert.equal(rowsOf(await pageOf(editor, `${list}?status=spam`)), [spam])
    assert.equal(rowsOf(await pageOf(editor, `${list}?search=Said&post=1`)), [approved])
    assert.equal(rowsOf(await pageOf(editor, `${list}?type=pings`)), [])
    const note = await store.first(store.db.selectFrom('comments').select('id').where('type', '=', 'note'))
    assert.is((await editor.open(`${list}/${note!.id}`)).status, 404)
    const author = await enter(site, 'ann')
    assert.is((await author.open(list)).status, 403)
    assert.is((await author.open(`${list}/${held}`)).status, 403)
  })

  comments('are moderated one by one and in bulk, and restored by undo', async () => {
    await using site = await open()
    const ids = [
      await createComment(site, 'One', { status: 'hold' }),
      await createComment(site, 'Two', { status: 'hold' }),
    ]
    const editor = await enter(site, 'ed')
    const chosen = ids.map((id): [string, number] => ['ids[]', id])
    assert.match(noticeOf(await act(editor, list, [['do', 'approve'], ...chosen])), '2 comments approved.')
    assert.is(await statusOf(site, ids[0]!), 'approved')
    await act(editor, list, [
      ['do', 'row'],
      ['row', `hold:${ids[0]}`],
    ])
    assert.is(await statusOf(site, ids[0]!), 'hold')
    const trashed = await act(editor, list, [['do', 'trash'], ...chosen, ['ids[]', 999]])
    assert.match(noticeOf(trashed), /2 comments moved to trash\. 1 item failed: “#999”/)
    const undoValue = hiddenValue(trashed, 'what')
    const mark = hiddenValue(trashed, 'mark')
    await act(editor, list, [
      ['do', 'undo'],
      ['what', undoValue],
      ['mark', mark],
    ])
    assert.equal(await Promise.all(ids.map((id) => statusOf(site, id))), ['hold', 'approved'])
    const forged = await sendFields(editor, list, [
      ['do', 'undo'],
      ['what', `delete:${ids[0]}`],
      ['mark', mark],
    ])
    assert.is(forged.status, 403)
    await act(editor, list, [
      ['do', 'spam'],
      ['ids[]', ids[0]!],
    ])
    await act(editor, `${list}?status=spam`, [
      ['do', 'delete'],
      ['ids[]', ids[0]!],
    ])
    assert.is((await site.get(`/svc/v2/comments/${ids[0]}`, site.by('admin'))).status, 404)
  })

  comments('are edited and answered on separate pages', async () => {
    await using site = await open()
    const id = await createComment(site, 'First', { author_name: 'Vera', author_email: 'vera@mail.example' })
    const editor = await enter(site, 'ed')
    const path = `${list}/${id}`
    const was = hiddenValue(await pageOf(editor, path), 'was')
    const form: [string, string][] = [
      ['was', was],
      ['author_name', 'Vera'],
      ['author_email', 'vera@mail.example'],
      ['author_url', ''],
      ['content', 'Better'],
      ['status', 'approved'],
    ]
    assert.match(noticeOf(await act(editor, path, form)), 'Comment updated.')
    assert.is((await site.json(`/svc/v2/comments/${id}?context=edit`, site.by('ed'))).content.raw, 'Better')
    const late = await sendFields(
      editor,
      path,
      form.map(([key, value]) => [key, key === 'content' ? 'Other' : value]),
    )
    assert.is(late.status, 409)
    const wrong = await sendFields(editor, path, [
      ['content', 'Kept'],
      ['author_email', 'no address'],
    ])
    assert.ok([400, 409].includes(wrong.status))
    assert.match(await wrong.text(), 'Kept')
    const replied = await act(editor, path, [
      ['do', 'reply'],
      ['reply', 'Thank you'],
    ])
    assert.match(replied, 'Thank you')
    const [reply] = await site.json(`/svc/v2/comments?parent=${id}`)
    assert.is(reply.author, site.users.ed)
    const empty = await sendFields(editor, path, [
      ['do', 'reply'],
      ['reply', ' '],
    ])
    assert.is(empty.status, 400)
    assert.match(noticeOf(await act(editor, path, [['do', 'delete']])), '1 comment permanently deleted.')
  })

  comments('are paged with a number of statements that does not depend on their number', async () => {
    await using site = await open()
    const { store } = site
    const rows = Array.from({ length: 120 }, (_, index) => ({
      post_id: 1,
      author_name: 'Eve',
      content: `Comment ${index}`,
      approved: index % 2 === 0 ? '1' : '0',
      type: 'comment',
      date: `2025-01-06 10:00:${String(index % 60).padStart(2, '0')}`,
      date_gmt: `2025-01-06 10:00:${String(index % 60).padStart(2, '0')}`,
    }))
    await store.run(store.db.insertInto('comments').values(rows))
    const editor = await enter(site, 'ed')
    const found: number[] = []
    let next: string | undefined = `${list}?per_page=50&order=asc`
    for (let step = 0; next !== undefined && step < 20; step += 1) {
      const text: string = await pageOf(editor, next)
      found.push(...rowsOf(text))
      next = nextOf(text)
    }
    assert.is(new Set(found).size, 120)
    const statements = async (size: number) =>
      (await site.statements(() => pageOf(editor, `${list}?per_page=${size}`))).length
    await statements(5)
    assert.is(await statements(100), await statements(5))
  })

  comments.run()
}
