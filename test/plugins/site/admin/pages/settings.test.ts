import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { formNonce, hiddenValue, sendForm } from '../../../../helpers/admin-forms.ts'
import { browse, type Browser } from '../../../../helpers/browser.ts'
import { until } from '../../../../helpers/until.ts'
import { databases, serveWithUsers, type SiteWithUsers } from '../../../../helpers/site-with-users.ts'
import { definePlugin } from '../../../../../plugins/public.ts'

const SETTINGS = '/svc-admin/settings'

const garden = definePlugin({
  name: 'garden',
  needs: ['settings'],
  apply({ services }) {
    services.settings.register('garden_beds', {
      type: 'integer',
      label: 'Beds <of the garden>',
      default: 3,
      show_in_rest: { schema: { minimum: 1 } },
    })
  },
})

async function loggedIn(site: SiteWithUsers, login: string): Promise<Browser> {
  const browser = browse(site)
  await browser.logIn(login, `pass phrase of ${login}`)
  return browser
}

for (const { name, place } of databases) {
  const settings = suite(`settings in the admin on ${name}`)

  settings('are shown in groups, previewed and stored', async () => {
    await using site = await serveWithUsers(place, { add: [garden] })
    const admin = await loggedIn(site, 'admin')
    const { options } = site.kernel.services
    const form = {
      do: 'save',
      title: 'Salt & <Pepper>',
      timezone: 'Europe/Paris',
      date_format: 'own',
      date_format_own: 'j. n. y',
    }
    const preview = await sendForm(admin, SETTINGS, { ...form, preview: '1' })
    assert.is(preview.response.status, 200)
    assert.match(preview.text, 'Changes to be saved')
    assert.match(preview.text, '<td data-label="New value">Salt &#38; &#60;Pepper&#62;</td>')
    assert.is.not(await options.get('timezone'), 'Europe/Paris')
    const done = await sendForm(admin, SETTINGS, form)
    assert.is(done.response.status, 303, done.text)
    assert.equal(await options.many(['title', 'timezone', 'date_format']), {
      title: 'Salt &amp; &lt;Pepper&gt;',
      timezone: 'Europe/Paris',
      date_format: 'j. n. y',
    })
    const after = await (await admin.open(SETTINGS)).text()
    assert.match(after, />\s*\d{4}-\d\d-\d\d \(Y-m-d\)/)
    assert.match(after, 'value="Salt &#38; &#60;Pepper&#62;"')
    for (const group of ['reading', 'writing', 'discussion', 'media', 'privacy', 'identity', 'permalinks', 'further'])
      assert.is((await admin.open(`${SETTINGS}/${group}`)).status, 200, group)
    assert.is((await admin.open(`${SETTINGS}/nowhere`)).status, 404)
    assert.is((await (await loggedIn(site, 'ed')).open(`${SETTINGS}/reading`)).status, 403)
  })

  settings('store image sizes and the folders of uploads', async () => {
    await using site = await serveWithUsers(place)
    const admin = await loggedIn(site, 'admin')
    const { options } = site.kernel.services
    const page = await (await admin.open(`${SETTINGS}/media`)).text()
    assert.match(page, /name="large_size_w"[^>]*>/)
    const form = {
      do: 'save',
      thumbnail_size_w: '120',
      thumbnail_size_h: '90',
      thumbnail_crop: '',
      medium_size_w: '320',
      medium_size_h: '0',
      large_size_w: '1600',
      large_size_h: '1600',
      uploads_use_yearmonth_folders: '',
    }
    const refused = await sendForm(admin, `${SETTINGS}/media`, { ...form, large_size_w: '20000' })
    assert.is(refused.response.status, 400)
    assert.match(refused.text, 'id="field-large_size_w-error"')
    const saved = await sendForm(admin, `${SETTINGS}/media`, form)
    assert.is(saved.response.status, 303, saved.text)
    const names = ['thumbnail_size_w', 'thumbnail_crop', 'medium_size_h', 'uploads_use_yearmonth_folders']
    assert.equal(await options.many(names), {
      thumbnail_size_w: 120,
      thumbnail_crop: false,
      medium_size_h: 0,
      uploads_use_yearmonth_folders: false,
    })
    // The sizes follow the commit.
    await until(async () => site.kernel.services.imageSizes.get('large')?.width === 1600)
  })

  settings('create a privacy policy, and link to it for visitors once it is published', async () => {
    await using site = await serveWithUsers(place)
    const admin = await loggedIn(site, 'admin')
    const { options } = site.kernel.services
    const created = await sendForm(admin, `${SETTINGS}/privacy`, { do: 'create-privacy-page' })
    assert.is(created.response.status, 303, created.text)
    const id = Number(await options.get('page_for_privacy_policy'))
    assert.ok(created.response.headers.get('location')?.endsWith(`/svc-admin/content/page/${id}`))
    const draft = (await site.json(`/svc/v2/pages/${id}?context=edit`, site.by('admin'))) as {
      status: string
      link: string
      content: { raw: string }
    }
    assert.is(draft.status, 'draft')
    assert.match(draft.content.raw, /<h2 class="\w+-block-heading">Who we are<\/h2>/)
    const shown = await (await admin.open(`${SETTINGS}/privacy`)).text()
    assert.match(shown, new RegExp(`value="${id}"\\s+selected`))
    assert.not.match(shown, 'create-privacy-page')

    const visitor = browse(site)
    const logIn = async () => (await visitor.open('/svc-login')).text()
    const post = async () => (await visitor.open('/?p=1', { redirect: 'follow' })).text()
    assert.not.match(await logIn(), 'Privacy policy')
    await site.send('POST', `/svc/v2/pages/${id}`, { title: 'Privacy <em>policy</em>', status: 'publish' }, 'admin')
    const { link } = (await site.json(`/svc/v2/pages/${id}`)) as { link: string }
    assert.match(await logIn(), `<a href="${link}">`)
    assert.match(await post(), `<p class="comment-form-privacy"><a href="${link}">Privacy policy</a></p>`)
    // The setting does not name a page in the trash.
    await site.request(`/svc/v2/pages/${id}`, { method: 'DELETE', headers: site.by('admin') })
    assert.is(await options.get('page_for_privacy_policy'), 0)
    assert.not.match(await post(), 'comment-form-privacy')
  })

  settings('show errors next to their fields, including settings of plugins', async () => {
    await using site = await serveWithUsers(place, { add: [garden] })
    const admin = await loggedIn(site, 'admin')
    const zone = await sendForm(admin, SETTINGS, { do: 'save', timezone: 'Nowhere/City', title: 'Kept' })
    assert.is(zone.response.status, 400)
    assert.match(zone.text, 'id="field-timezone-error"')
    assert.match(zone.text, 'value="Kept"')
    const beds = await sendForm(admin, `${SETTINGS}/further`, { do: 'save', garden_beds: '0' })
    assert.is(beds.response.status, 400)
    assert.match(beds.text, 'id="field-garden_beds-error"')
    assert.match(beds.text, 'Beds &#60;of the garden&#62;')
    assert.is((await sendForm(admin, `${SETTINGS}/further`, { do: 'save', garden_beds: '5' })).response.status, 303)
    assert.is(await site.kernel.services.options.get('garden_beds'), 5)
    const page = await sendForm(admin, `${SETTINGS}/reading`, { do: 'save', page_on_front: '4711' })
    assert.match(page.text, 'id="field-page_on_front-error"')
  })

  settings('outside of the REST API are shown, validated and stored, too', async () => {
    await using site = await serveWithUsers(place)
    const admin = await loggedIn(site, 'admin')
    const { options } = site.kernel.services
    const path = `${SETTINGS}/discussion`
    const page = await (await admin.open(path)).text()
    for (const { name } of site.kernel.services.settings.all())
      if (/comment/.test(name)) assert.match(page, `name="${name}"`)
    const wrong = { comments_per_page: '101', comment_order: 'sideways', comment_max_links: 'x', page_comments: '1' }
    const refused = await sendForm(admin, path, { do: 'save', ...wrong, default_comment_status: 'closed' })
    assert.is(refused.response.status, 400)
    for (const name of ['comments_per_page', 'comment_order', 'comment_max_links'])
      assert.match(refused.text, `id="field-${name}-error"`)
    assert.equal(await options.many(['page_comments', 'default_comment_status']), {
      page_comments: false,
      default_comment_status: 'open',
    })
    const right = { comments_per_page: '5', page_comments: '1', moderation_keys: 'pepper\r\nsalt' }
    const done = await sendForm(admin, path, { do: 'save', ...right, default_comment_status: 'closed' })
    assert.is(done.response.status, 303, done.text)
    assert.equal(
      await options.many(['comments_per_page', 'page_comments', 'moderation_keys', 'default_comment_status']),
      { comments_per_page: 5, page_comments: true, moderation_keys: 'pepper\nsalt', default_comment_status: 'closed' },
    )
    const emptied = await sendForm(admin, path, { do: 'save', moderation_keys: '', page_comments: '' })
    assert.is(emptied.response.status, 303, emptied.text)
    assert.equal(await options.many(['moderation_keys', 'page_comments']), {
      moderation_keys: '',
      page_comments: false,
    })
    await sendForm(admin, `${SETTINGS}/reading`, { do: 'save', blog_public: '' })
    assert.match(await (await fetch(`${site.home}/robots.txt`)).text(), 'Disallow: /\n')
  })

  settings('that another user has changed in the meantime are not overwritten', async () => {
    await using site = await serveWithUsers(place)
    const admin = await loggedIn(site, 'admin')
    const { options } = site.kernel.services
    const page = await (await admin.open(SETTINGS)).text()
    await options.set('title', 'Of somebody else')
    await options.set('description', 'Theirs')
    const sent = { _svcnonce: formNonce(page), was: hiddenValue(page, 'was'), do: 'save' }
    const { title, description } = JSON.parse(sent.was) as Record<string, string>
    const refused = await admin.send(SETTINGS, { ...sent, title: 'Mine', description: description! })
    assert.is(refused.status, 400)
    assert.match(await refused.text(), 'Someone else saved changes. Save again to overwrite them.')
    const other = await admin.send(SETTINGS, { ...sent, title: title!, description: description!, language: 'de_DE' })
    assert.is(other.status, 303)
    assert.equal(await options.many(['title', 'description', 'language']), {
      title: 'Of somebody else',
      description: 'Theirs',
      language: 'de_DE',
    })
  })

  settings('of permalinks are validated, and change URLs', async () => {
    await using site = await serveWithUsers(place)
    const admin = await loggedIn(site, 'admin')
    const path = `${SETTINGS}/permalinks`
    const shared = await sendForm(admin, path, { do: 'save', structure: 'own', own: '/%year%/' })
    assert.is(shared.response.status, 400)
    assert.match(shared.text, 'id="field-own-error"')
    for (const own of ['/<b>/%postname%', '//%postname%', '/%what%/%postname%', 'x%postname%'])
      assert.is((await sendForm(admin, path, { do: 'save', structure: 'own', own })).response.status, 400, own)
    assert.is((await sendForm(admin, path, { do: 'save', structure: '/%postname%/' })).response.status, 303)
    const [post] = (await (await site.request('/svc/v2/posts')).json()) as { link: string }[]
    assert.is(post?.link, `${site.home}/hello/`)
  })

  settings.run()
}
