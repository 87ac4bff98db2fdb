import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { addPosts } from '../../../helpers/content.ts'
import { as, serveOn, type Site, startOnly } from '../../../helpers/site.ts'
import { places } from '../../../helpers/stores.ts'
import { addMedia, PHOTO } from './content.ts'

startOnly('media')

for (const { name, make } of places) {
  const item = suite(`media items on ${name}`)

  const open = async () => serveOn(await make())

  const markup = async (site: Site, id: number) =>
    (await site.json(`/svc/v2/media/${id}?_fields=description`)).description.rendered

  item('have no publish action in their schema', async () => {
    await using site = await open()
    const answer = await site.request('/svc/v2/media', { method: 'OPTIONS' })
    const { schema } = (await answer.json()) as { schema: { links: { rel: string }[] } }
    assert.equal(
      schema.links.map(({ rel }) => rel),
      ['urn:svc-rest:action-unfiltered-html', 'urn:svc-rest:action-assign-author'],
    )
  })

  item('have their URL in the index as the site icon', async () => {
    await using site = await open()
    const [id] = await addMedia(site, {})
    const shown = async (icon: number) => {
      await site.kernel.services.options.set('site_icon', icon)
      const { site_icon: number, site_icon_url: url } = await site.json('/?_fields=site_icon,site_icon_url')
      return [number, url]
    }
    assert.equal(await shown(id!), [id, `${site.home}/uploads/2025/01/photo.jpg`])
    assert.equal(await shown(id! + 1), [id! + 1, ''])
    assert.equal(await shown(0), [0, ''])
  })

  item('have all fields of each context', async () => {
    await using site = await open()
    await site.kernel.services.options.set('permalink', '/%year%/%postname%/')
    const [post] = await addPosts(site.store, { title: 'Hello', date: '2024-05-01 10:00:00' })
    const [id] = await addMedia(site, {
      parent_id: post!,
      content: 'About it',
      excerpt: 'Below it',
      alt: 'A "lake" & hills',
      author_id: 4,
      guid: 'urn:photo',
    })
    const fileUrl = `${site.home}/uploads/2025/01`
    const version = (width: number, height: number) => ({
      file: `photo-${width}x${height}.jpg`,
      width,
      height,
      filesize: width,
      mime_type: 'image/jpeg',
      source_url: `${fileUrl}/photo-${width}x${height}.jpg`,
    })
    const image =
      `<img loading="lazy" decoding="async" width="300" height="200" src="${fileUrl}/photo-300x200.jpg"` +
      ' class="attachment-medium size-medium" alt="A &quot;lake&quot; &amp; hills"' +
      ` srcset="${fileUrl}/photo-300x200.jpg 300w, ${fileUrl}/photo-1024x683.jpg 1024w, ${fileUrl}/photo.jpg 1200w"` +
      ' sizes="auto, (max-width: 300px) 100vw, 300px" />'
    const fields = {
      id,
      slug: 'photo',
      status: 'inherit',
      type: 'attachment',
      link: `${site.home}/2024/hello/photo/`,
      guid: { rendered: 'urn:photo' },
      title: { rendered: 'Photo' },
      author: 4,
      featured_media: 0,
      comment_status: 'open',
      ping_status: 'open',
      template: '',
      meta: [],
      description: {
        rendered: `<p class="attachment"><a href='${fileUrl}/photo.jpg'>${image}</a></p>\n<p>About it</p>\n`,
      },
      caption: { rendered: '<p>Below it</p>\n' },
      alt_text: 'A "lake" & hills',
      media_type: 'image',
      mime_type: 'image/jpeg',
      media_details: {
        ...PHOTO,
        sizes: {
          medium: version(300, 200),
          thumbnail: version(150, 150),
          large: version(1024, 683),
          full: {
            file: 'photo.jpg',
            width: 1200,
            height: 800,
            mime_type: 'image/jpeg',
            source_url: `${fileUrl}/photo.jpg`,
          },
        },
      },
      post,
      source_url: `${fileUrl}/photo.jpg`,
      class_list: [`post-${id}`, 'attachment', 'type-attachment', 'status-inherit', 'hentry'],
      filename: 'photo.jpg',
      filesize: 5000,
    }
    const answer = await site.get(`/svc/v2/media/${id}`)
    assert.is(answer.headers.get('link'), `<${fields.link}>; rel="alternate"; type=text/html`)
    const times = ['date', 'date_gmt', 'modified', 'modified_gmt']
    const { _links: links, ...media } = (await answer.json()) as Record<string, unknown>
    const shown = Object.fromEntries(Object.entries(media).filter(([field]) => !times.includes(field)))
    assert.equal(shown, fields)
    assert.equal(Object.keys(links as object), [
      'self',
      'collection',
      'about',
      'author',
      'replies',
      'svc:attached-to',
      'curies',
    ])

    const edited = await site.json(`/svc/v2/media/${id}?context=edit`, as('editor'))
    assert.equal(edited.description, { raw: 'About it', ...fields.description })
    assert.equal(edited.caption, { raw: 'Below it', ...fields.caption })
    assert.equal(edited.missing_image_sizes, ['medium_large'])
    assert.equal([edited.exif_orientation, edited.image_quality], [1, { default: 82, sizes: [] }])
    assert.equal([edited.image_output_format, edited.image_save_progressive], [null, false])
    assert.is(edited.permalink_template, `${site.home}/2024/hello/%postname%/`)
    assert.not('password' in edited)
    assert.equal(Object.keys((await site.json(`/svc/v2/media/${id}?context=embed`)) as object).sort(), [
      '_links',
      'alt_text',
      'author',
      'caption',
      'date',
      'featured_media',
      'id',
      'link',
      'media_details',
      'media_type',
      'mime_type',
      'slug',
      'source_url',
      'title',
      'type',
    ])
  })

  item('show other files as links', async () => {
    await using site = await open()
    const [id] = await addMedia(site, {
      title: 'Notes <i>&amp;</i> more',
      mime_type: 'text/plain',
      file: '2025/01/notes.txt',
      metadata: { filesize: 19 },
    })
    const media = await site.json(`/svc/v2/media/${id}`)
    assert.is(media.media_type, 'file')
    assert.equal(media.media_details, { filesize: 19, sizes: {} })
    assert.is(media.post, null)
    const fileUrl = `${site.home}/uploads/2025/01/notes.txt`
    assert.is(media.source_url, fileUrl)
    assert.is(
      media.description.rendered,
      `<p class="attachment"><a href='${fileUrl}'>Notes <i>&amp;</i> more</a></p>\n`,
    )
    assert.equal((await site.json(`/svc/v2/media/${id}?context=edit`, as('editor'))).missing_image_sizes, [])
  })

  item('have the name of the uploaded file and the quality of their type', async () => {
    await using site = await open()
    const metadata = { original_image: 'lake.jpg' }
    const ids = await addMedia(
      site,
      { mime_type: 'image/jpeg', file: '2025/01/lake-scaled.jpg', metadata },
      { mime_type: 'image/webp', file: '2025/01/lake.webp' },
      { mime_type: 'application/pdf', file: '2025/01/lake.pdf' },
    )
    const shown = ids.map(async (id) => {
      const { filename, image_quality: quality } = await site.json(`/svc/v2/media/${id}?context=edit`, as('editor'))
      return [filename, quality?.default]
    })
    assert.equal(await Promise.all(shown), [
      ['lake.jpg', 82],
      ['lake.webp', 86],
      ['lake.pdf', undefined],
    ])
  })

  item('show audio and video in a player if browsers support the type', async () => {
    await using site = await open()
    const song = { title: 'Song', mime_type: 'audio/mpeg', content: 'By me', metadata: { length: 2 } }
    const [id, odd, film] = await addMedia(
      site,
      { ...song, file: '2025/01/song.mp3' },
      { ...song, file: '2025/01/song.mov', mime_type: 'video/quicktime', content: '' },
      { mime_type: 'video/mp4', file: '2025/01/film.mp4', metadata: { width: 320, height: 180 } },
    )
    const fileUrl = `${site.home}/uploads/2025/01/song`
    assert.is(
      await markup(site, id!),
      `<audio class="wp-audio-shortcode" id="audio-${id}-1" preload="none" style="width: 100%;" controls="controls">` +
        `<source type="audio/mpeg" src="${fileUrl}.mp3?_=1" /><a href="${fileUrl}.mp3">${fileUrl}.mp3</a></audio>\n` +
        '<p>By me</p>\n',
    )
    assert.is(await markup(site, odd!), `<a class="wp-embedded-video" href="${fileUrl}.mov">${fileUrl}.mov</a>\n`)
    assert.match(await markup(site, film!), `id="video-${film}-1" width="320" height="180" preload="metadata"`)
  })

  item('handle missing and invalid metadata', async () => {
    await using site = await open()
    const [bare, small, large, bitmap] = await addMedia(
      site,
      { file: '', metadata: null, guid: 'https://elsewhere.test/old.jpg' },
      { metadata: { width: 160, height: 48, sizes: [] } },
      { metadata: { width: 1024, height: 768 } },
      {
        metadata: {
          width: 400,
          height: 400,
          sizes: { medium: 'broken', thumbnail: { file: '../../x/t.jpg', width: 9, height: 9 } },
        },
      },
    )
    const first = await site.json(`/svc/v2/media/${bare}`)
    assert.equal([first.media_details, first.source_url, first.alt_text], [{}, 'https://elsewhere.test/old.jpg', ''])
    assert.match(
      await markup(site, bare!),
      '<img loading="lazy" decoding="async" src="https://elsewhere.test/old.jpg" class',
    )
    assert.match(await markup(site, small!), ' width="160" height="48" src=')
    assert.equal((await site.json(`/svc/v2/media/${small}`)).media_details, { width: 160, height: 48, sizes: {} })
    assert.match(await markup(site, large!), ' width="300" height="225" src=')
    assert.not.match(await markup(site, large!), 'srcset')
    const { sizes } = (await site.json(`/svc/v2/media/${bitmap}`)).media_details
    assert.equal(Object.keys(sizes as object), ['thumbnail', 'full'])
    assert.is(sizes.thumbnail.source_url, `${site.home}/uploads/2025/01/t.jpg`)
  })

  item('S33: escape delimiters in URLs and headers', async () => {
    await using site = await open()
    const [id] = await addMedia(site, {
      file: "2025/01/größe 100%?#'\r\nX-Injected: 1.jpg",
      slug: 'a\r\nX-Injected: 1>; rel="evil"',
      alt: '"><script>alert(1)</script>',
      metadata: null,
    })
    const answer = await site.get(`/svc/v2/media/${id}`)
    assert.is(answer.status, 200)
    assert.is(answer.headers.get('x-injected'), null)
    assert.match(answer.headers.get('link') ?? '', /^<[^<>"\s]+>; rel="alternate"; type=text\/html$/)
    const { source_url: url } = (await answer.json()) as { source_url: string }
    assert.is(url, `${site.home}/uploads/2025/01/gr%C3%B6%C3%9Fe%20100%25%3F%23%27%0D%0AX-Injected:%201.jpg`)
    const html = await markup(site, id!)
    assert.not.match(html, '<script')
    assert.is(html.split("'").length, 3)
  })

  item('are found only by the ID of an attachment', async () => {
    await using site = await open()
    const [post] = await addPosts(site.store, {})
    const [id] = await addMedia(site, {})
    assert.is((await site.json(`/svc/v2/media/${post}`)).code, 'rest_post_invalid_id')
    assert.is((await site.json(`/svc/v2/posts/${id}`)).code, 'rest_post_invalid_id')
    assert.is((await site.get('/svc/v2/media/0')).status, 404)
    assert.is((await site.json(`/svc/v2/media/${id}?context=edit`)).code, 'rest_forbidden_context')
    assert.is((await site.get(`/svc/v2/media/${id}?context=edit`, as('subscriber'))).status, 403)
  })

  item('have the visibility of the post that they are attached to', async () => {
    await using site = await open()
    const posts = await addPosts(
      site.store,
      { title: 'open' },
      { title: 'draft', status: 'draft', author_id: 7 },
      { title: 'private', status: 'private' },
      { title: 'trash', status: 'trash' },
      { title: 'block', type: 'svc_block' },
      { title: 'odd', type: 'nobody' },
    )
    const media = await addMedia(site, ...[0, 999_999, ...posts].map((parent) => ({ parent_id: parent, author_id: 3 })))
    const nested = await addMedia(site, { parent_id: media[2]! }, { parent_id: media[3]! })
    const statuses = async (headers = {}) =>
      Promise.all([...media, ...nested].map(async (id) => (await site.get(`/svc/v2/media/${id}`, headers)).status))
    //                                        none gone open draft private trash block odd  below open, below draft
    assert.equal(await statuses(), [200, 200, 200, 401, 401, 401, 401, 401, 200, 401])
    assert.equal(await statuses(as('subscriber')), [200, 200, 200, 403, 403, 403, 403, 403, 200, 403])
    assert.equal(await statuses(as('author', 7)), [200, 200, 200, 200, 403, 403, 200, 403, 200, 200])
    assert.equal(await statuses(as('author', 3)), [200, 200, 200, 200, 200, 200, 200, 200, 200, 403])
    assert.equal(await statuses(as('editor')), [200, 200, 200, 200, 200, 200, 200, 403, 200, 200])
  })

  item('S10: are embedded with the same permissions as direct requests', async () => {
    await using site = await open()
    const [hidden] = await addPosts(site.store, { title: 'Secret', status: 'private' })
    const [open_, hiddenMedia] = await addMedia(site, { title: 'Seen' }, { title: 'Unseen', parent_id: hidden! })
    const ids = await addPosts(
      site.store,
      { meta: { _thumbnail_id: open_! } },
      { meta: { _thumbnail_id: hiddenMedia! } },
      { meta: { _thumbnail_id: 424_242 } },
    )
    const embedded = async (headers = {}) => {
      const list = await site.json(`/svc/v2/posts?_embed=svc:featuredmedia&include=${ids.join(',')}`, headers)
      return list.map((post: Record<string, Record<string, Record<string, unknown>[]>>) => {
        const [media] = post['_embedded']!['svc:featuredmedia']!
        return media!['code'] ?? (media!['title'] as { rendered: string }).rendered
      })
    }
    assert.equal(await embedded(), ['Seen', 'rest_forbidden', 'rest_post_invalid_id'])
    assert.equal(await embedded(as('editor')), ['Seen', 'Unseen', 'rest_post_invalid_id'])
    const text = await (await site.get(`/svc/v2/posts?_embed=1`)).text()
    assert.not.match(text, 'Unseen')
    assert.not.match(text, 'Secret')
  })

  item.run()
}
