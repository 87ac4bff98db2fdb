import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { ImportedIds } from '../../../../../plugins/operations/importer/posts/block-ids.ts'
import { mapTextIds } from '../../../../../plugins/operations/importer/posts/text-ids.ts'

const references = suite('references in text')

/** Maps items to 1000 more, terms to 2000 more, users to 3000 more; IDs that end with 9 do not exist. */
const ids = (unclear: string[] = []): ImportedIds => {
  const shiftBy = (more: number) => (id: number) => (id % 10 === 9 ? 0 : id + more)
  return {
    item: shiftBy(1000),
    term: (taxonomy, id) => shiftBy(taxonomy === 'post_tag' ? 2500 : 2000)(id),
    user: shiftBy(3000),
    unclear: (block) => void unclear.push(block),
  }
}
const map = (text: string) => mapTextIds(text, ids(), 'https://new.test')

references('are mapped in the attributes of blocks', () => {
  const blocks: [before: string, after: string][] = [
    ['image {"id":5,"sizeSlug":"large"}', 'image {"id":1005,"sizeSlug":"large"}'],
    ['core/image {"id":5} /', 'core/image {"id":1005} /'],
    ['cover {"url":"a","id":5}', 'cover {"url":"a","id":1005}'],
    ['media-text {"mediaId":5,"mediaType":"image"}', 'media-text {"mediaId":1005,"mediaType":"image"}'],
    ['gallery {"ids":[5,9,6]}', 'gallery {"ids":[1005,1006]}'],
    ['gallery {"ids":["5","6"]}', 'gallery {"ids":["1005","1006"]}'],
    ['block {"ref":5} /', 'block {"ref":1005} /'],
    ['navigation {"ref":9} /', 'navigation {"ref":0} /'],
    [
      'navigation-link {"kind":"post-type","type":"page","id":5}',
      'navigation-link {"kind":"post-type","type":"page","id":1005}',
    ],
    [
      'navigation-link {"kind":"taxonomy","type":"tag","id":5}',
      'navigation-link {"kind":"taxonomy","type":"tag","id":2505}',
    ],
    [
      'navigation-submenu {"kind":"taxonomy","type":"genre","id":5}',
      'navigation-submenu {"kind":"taxonomy","type":"genre","id":2005}',
    ],
    ['navigation-link {"kind":"custom","id":5}', 'navigation-link {"kind":"custom","id":5}'],
    ['page-list {"parentPageID":5}', 'page-list {"parentPageID":1005}'],
    ['avatar {"userId":5}', 'avatar {"userId":3005}'],
    [
      'latest-posts {"categories":[{"id":5,"name":"a"}],"selectedAuthor":7}',
      'latest-posts {"categories":[{"id":2005,"name":"a"}],"selectedAuthor":3007}',
    ],
    [
      'query {"queryId":5,"query":{"parents":[5],"author":"5,9,7","exclude":[6],"taxQuery":{"category":[5],"post_tag":[5,9]},"perPage":5}}',
      'query {"queryId":5,"query":{"parents":[1005],"author":"3005,3007","exclude":[1006],"taxQuery":{"category":[2005],"post_tag":[2505]},"perPage":5}}',
    ],
    ['query {"query":{"categoryIds":[5],"tagIds":[5]}}', 'query {"query":{"categoryIds":[2005],"tagIds":[2505]}}'],
    ['shop/banner {"imageId":5,"columns":5}', 'shop/banner {"imageId":1005,"columns":5}'],
    ['heading {"level":5}', 'heading {"level":5}'],
    ['paragraph {"id":5}', 'paragraph {"id":5}'],
    ['image {"id":5', 'image {"id":5'],
    ['image {"id":"x"}', 'image {"id":"x"}'],
  ]
  for (const [before, after] of blocks) assert.is(map(`a <!-- wp:${before}--> b`), `a <!-- wp:${after}--> b`)
})

references('keep the text of unchanged blocks, and are escaped in changed ones', () => {
  const same = '<!-- wp:image {"alt":"a \\u002d\\u002d b", "n": 1.50} -->'
  assert.is(map(same), same)
  assert.is(
    map('<!-- wp:image {"id":5,"alt":"\\u003cb\\u003e \\u002d\\u002d\\u003e \\u0026"} -->'),
    '<!-- wp:image {"id":1005,"alt":"\\u003cb\\u003e \\u002d\\u002d\\u003e \\u0026"} -->',
  )
})

references('leave the bytes of the other attributes of a block, at any place in it', () => {
  const others = [
    String.raw`"url":"http:\/\/old.example\/a"`,
    String.raw`"alt" : "\u003cb\u003e \u002d\u002d \u0026 \u00e9 \ud83d\ude00"`,
    '"z": 1.0,\n"a":1e3',
    '"big":12345678901234567890',
    '"same":1,"same":2',
    '"nested":{ "id":5 , "b":[ ] }',
  ]
  const forms: [block: string, before: string, after: string][] = [
    ['image', '"id":5', '"id":1005'],
    ['image', '"id" : "5"', '"id" : "1005"'],
    ['media-text', '"mediaId": 5 ', '"mediaId": 1005 '],
    ['gallery', '"ids":[ 5, 6 ]', '"ids":[ 1005, 1006 ]'],
    ['latest-posts', '"categories":[{"name":"a\\/b", "id":5}]', '"categories":[{"name":"a\\/b", "id":2005}]'],
    ['query', '"query":{"x":"\\/", "author":"5"}', '"query":{"x":"\\/", "author":"3005"}'],
    ['query', '"query":{"taxQuery":{"b":[1.0],"category":[5]}}', '"query":{"taxQuery":{"b":[2001],"category":[2005]}}'],
  ]
  for (const [block, before, after] of forms) {
    for (const place of [0, 3, others.length]) {
      const written = (id: string) => `<!-- wp:${block} { ${others.toSpliced(place, 0, id).join(' ,')} } /-->`
      assert.is(map(written(before)), written(after))
    }
  }
})

references('are mapped in classes of media, but not elsewhere in HTML', () => {
  assert.is(
    map('<img class="alignleft wp-image-5" data-id="5" src="a"/> <a rel="attachment wp-att-6" href="#">wp-image-5</a>'),
    '<img class="alignleft wp-image-1005" data-id="1005" src="a"/> <a rel="attachment wp-att-1006" href="#">wp-image-5</a>',
  )
  assert.is(map('<img class="wp-image-9">'), '<img class="wp-image-0">')
  for (const text of ['<b data-id="5">', '<img class="my-wp-image-5x" data-id="5">', 'wp-image-5']) {
    assert.is(map(text), text)
  }
})

references('are mapped in galleries, playlists and captions', () => {
  const tags: [before: string, after: string][] = [
    ['[gallery ids="5, 9,6" columns="5"]', '[gallery ids="1005,1006" columns="5"]'],
    ["[gallery include='5' exclude='6' id='7']", "[gallery include='1005' exclude='1006' id='1007']"],
    ['[gallery ids=5,6]', '[gallery ids=1005,1006]'],
    ['[playlist type="video" ids="5"]', '[playlist type="video" ids="1005"]'],
    ['[caption id="attachment_5" width="300"]', '[caption id="attachment_1005" width="300"]'],
    ['[wp_caption id="attachment_5"]', '[wp_caption id="attachment_1005"]'],
    ['[shop ids="5"]', '[shop ids="5"]'],
  ]
  for (const [before, after] of tags) assert.is(map(`a ${before} b`), `a ${after} b`)
})

references('are mapped in plain URLs of this site', () => {
  assert.is(
    map('<a href="https://new.test/?p=5">a</a> https://new.test/index.php?page_id=6&x=1 http://new.test?cat=5'),
    '<a href="https://new.test/?p=1005">a</a> https://new.test/index.php?page_id=1006&x=1 http://new.test?cat=2005',
  )
  const other = 'https://other.test/?p=5 https://new.test/?pp=5 https://new.test/?p=5x'
  assert.is(map(other), other)
  assert.is(mapTextIds('https://new.test/?p=5', ids(), null), 'https://new.test/?p=5')
})

references('report blocks with ambiguous IDs', () => {
  const unclear: string[] = []
  mapTextIds('<!-- wp:shop/card {"id":5} /--><!-- wp:image {"id":5} -->', ids(unclear), null)
  assert.equal(unclear, ['shop/card'])
})

references('are mapped in linear time', () => {
  for (const piece of [
    '<!-- wp:image {',
    '[gallery ids="1,',
    '<img class="wp-image-1" ',
    'https://new.test/?p=',
    '<a ',
  ]) {
    const text = piece.repeat(200_000 / piece.length)
    assert.is(typeof map(text), 'string')
  }
})

references.run()
