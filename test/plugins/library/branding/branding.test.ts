import { globSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { completeConfig, HookRegistry, branding } from '../../../../bin/config/index.ts'
import { kernelHooks } from '../../../../kernel/hooks.ts'
import { failureOf } from '../../../kernel/failure.ts'
import { serve } from '../../../helpers/site.ts'
import { filePlace } from '../../../helpers/stores.ts'

const words = suite('branding')

words('derives every identifier from the word', () => {
  for (const word of ['svc', 'site2']) {
    const { header, namespace, relation, typeName, hookName, ...plain } = branding(word)
    const upper = word.toUpperCase()
    assert.equal(
      [
        header('Nonce'),
        namespace('v2'),
        namespace('v1', 'site-health'),
        relation('term'),
        typeName('block'),
        hookName('rest_x'),
      ],
      [`X-${upper}-Nonce`, `${word}/v2`, `${word}-site-health/v1`, `${word}:term`, `${word}_block`, `${word}_rest_x`],
    )
    assert.equal(
      [plain.prefix, plain.relationUri, plain.rootRelation, plain.nonceAction, plain.nonceParameter],
      [`${word}-json`, `urn:${word}-rest:`, `urn:${word}-rest:`, `${word}_rest`, `_${word}nonce`],
    )
  }
})

words('has the identifiers that existing clients use for the word wp', () => {
  const { header, namespace, relation, typeName, hookName, ...plain } = branding('wp')
  assert.equal(
    [
      header('Nonce'),
      header('TotalPages'),
      namespace('v2'),
      namespace('v1', 'block-editor'),
      relation('term'),
      typeName('navigation'),
      hookName('rest_server_class'),
    ],
    [
      'X-WP-Nonce',
      'X-WP-TotalPages',
      'wp/v2',
      'wp-block-editor/v1',
      'wp:term',
      'wp_navigation',
      'wp_rest_server_class',
    ],
  )
  assert.equal(
    [
      plain.prefix,
      plain.relationUri,
      plain.nonceAction,
      plain.nonceParameter,
      plain.loginPath,
      plain.adminPath,
      plain.ajaxPath,
    ],
    ['wp-json', 'https://api.w.org/', 'wp_rest', '_wpnonce', '/wp-login.php', '/wp-admin/', '/wp-admin/admin-ajax.php'],
  )
})

words('uses the relation URI of the config', () => {
  assert.is(branding('svc', 'https://rel.example/').relationUri, 'https://rel.example/')
})

words('refuses words that are prefixes of other type names', async () => {
  for (const word of ['post', 'nav', 'custom', 'user', 'Svc', 'a_b', '1a', '']) {
    assert.is((await failureOf(() => completeConfig({ word }, tmpdir()))).code, 'CONFIG_INVALID', word)
  }
})

words('provides hooks with the word under both names', () => {
  const { hooks } = new HookRegistry('wp', kernelHooks)
  const { wp_rest_server_class: named } = hooks as unknown as Record<string, unknown>
  assert.is(named, hooks.svc_rest_server_class)
})

/** Matches identifiers of WordPress. */
const PRODUCT = /word[\s_-]?press|\bwp\b|wp[-_/]|_wp|api\.w\.org/gi

/** Files and folders that can contain these identifiers, with the reason. */
const EXCEPTIONS: Readonly<Record<string, { reason: string; allowed: RegExp }>> = {
  'plugins/library/branding/index.ts': { reason: 'defines them', allowed: /./ },
  'plugins/operations/importer/wxr/': {
    reason: 'reads export files by their XML namespace',
    allowed: /wp:\w+/,
  },
  'plugins/operations/exporter/wxr/': {
    reason: 'writes export files with their XML namespaces',
    allowed: /xmlns:wp|wp:\w+|http:\/\/wordpress\.org\/export\/1\.2\//,
  },
  'plugins/compat/forms/names.ts': {
    reason: 'has the names of form fields that front ends send, which are the same for every word',
    allowed: /'_wpcf7\w*'/,
  },
  'plugins/design/themes/default/': {
    reason: 'a theme is content with block comments',
    allowed: /wp:[\w-]+|wp-(?:block|element)-[\w-]+|\.wp-(?:site-blocks|caption-text)|--wp--/,
  },
  'plugins/design/themes/magazine/': {
    reason: 'a theme is content with block comments',
    allowed: /wp:[\w-]+|wp-(?:block|element)-[\w-]+|\.wp-(?:site-blocks|caption-text)|--wp--/,
  },
  'plugins/design/themes/minimal/': {
    reason: 'a theme is content with block comments',
    allowed: /wp:[\w-]+|wp-(?:block|element)-[\w-]+|\.wp-(?:site-blocks|caption-text)|--wp--/,
  },
  'plugins/rendering/core-blocks/block-types.json': {
    reason: 'lists the attributes, video providers and script modules of blocks',
    allowed: /\.wp-(?:block|element)-[\w-]+|--wp--|"wordpress-tv"|"@wordpress\/block-library/,
  },
  'plugins/site/admin/assets/editor': {
    reason: 'reads and writes the markup of blocks, which is the same for every word',
    allowed: /wp:[\w-]*|wp-(?:block|element|image|embed|caption)[\w-]*|`wp`|'wp'|--wp--|\bwp-/,
  },
  'plugins/site/editor/install/': {
    reason: 'runs in the page of a third-party editor that uses these names',
    allowed: /./,
  },
  'plugins/rendering/core-blocks/site/social-services.json': {
    reason: 'names the sites of social links',
    allowed: /"wordpress": \{/,
  },
  'plugins/operations/site-health/directory-sizes.ts': {
    reason: 'has the field names of a route, which are the same for every word',
    allowed: /wordpress_size/,
  },
  'plugins/compat/import-rules.ts': {
    reason: 'has the meta keys of SEO plugins, which are the same for every word',
    allowed: /_yoast_wpseo_/,
  },
  'plugins/operations/importer/live/convert/heads.ts': {
    reason: 'has the meta keys of an SEO plugin, which are the same for every word',
    allowed: /_yoast_wpseo_/,
  },
  'plugins/operations/importer/option-dump.ts': {
    reason: 'has the name of an option in exports of WordPress',
    allowed: /wp_page_for_privacy_policy/,
  },
  'plugins/compat/known-data.ts': {
    reason: 'lists the names that plugins of WordPress use in exports',
    allowed: /./,
  },
  'plugins/storage/store/migrations/list.ts': {
    reason: 'renames meta keys that were stored with the word of the site',
    allowed: /`wp`|`wp_pattern_sync_status`|wp_\$\{name\}/,
  },
}

words('is the only module with identifiers of WordPress', async () => {
  const root = resolve(import.meta.dirname, '../../../..')
  const found: string[] = []
  for (const file of globSync('{kernel,plugins,bin}/**/*', { cwd: root, withFileTypes: true })) {
    if (!file.isFile() || file.name.endsWith('.webp')) continue
    const path = resolve(file.parentPath, file.name)
    const name = path.slice(root.length + 1)
    const allowed = Object.entries(EXCEPTIONS).find(([place]) => name.startsWith(place))?.[1].allowed
    // Comments and texts can name the product; identifiers depend on the word of the site.
    const text = (await readFile(path, 'utf8'))
      .replace(new RegExp(allowed ?? '(?!)', 'g'), '')
      .replaceAll('WordPress', '')
    for (const [at, line] of text.split('\n').entries()) {
      if (line.match(PRODUCT) !== null) found.push(`${name}:${at + 1} ${line.trim()}`)
    }
  }
  assert.equal(found, [])
})

words('can change for an existing database, whose content is available under the new word', async () => {
  await using place = await filePlace()
  const content = {
    type: 'svc_block',
    status: 'publish',
    title: 'A block',
    slug: 'a-block',
    date: '2025-01-01 00:00:00',
  }
  {
    await using site = await serve({ database: place.url })
    await site.store.run(site.store.db.insertInto('posts').values(content))
    assert.is((await site.json('/svc/v2/types/svc_block')).rest_base, 'blocks')
  }
  {
    await using site = await serve({ database: place.url, word: 'wp' })
    assert.is((await site.json('/wp/v2/types/wp_block')).slug, 'wp_block')
    const row = await site.store.first(site.store.db.selectFrom('posts').select('type'))
    assert.is(row?.type, 'wp_block')
    const { headers } = await site.get('/wp/v2/types')
    assert.is(headers.get('link'), `<${site.home}/wp-json/>; rel="https://api.w.org/"`)
  }
  await using site = await serve({ database: place.url })
  assert.is((await site.store.first(site.store.db.selectFrom('posts').select('type')))?.type, 'svc_block')
})

words('never mixes the words wp and svc in responses', async () => {
  for (const [word, other] of [
    ['wp', /\bsvc\b|svc[-_/:]|_svc/i],
    ['svc', /\bwp\b|wp[-_/:]|_wp|w\.org/i],
  ] as const) {
    await using site = await serve({ word })
    const post = {
      status: 'publish',
      title: 'A',
      slug: 'a',
      date: '2025-01-01 00:00:00',
      date_gmt: '2025-01-01 00:00:00',
    }
    await site.store.run(site.store.db.insertInto('posts').values(post))
    assert.is((await site.json(`/${word}/v2/posts`)).length, 1)
    for (const path of [
      '/',
      `/${word}/v2`,
      `/${word}/v2/posts?_embed`,
      `/${word}/v2/types`,
      `/${word}/v2/taxonomies`,
      `/${word}/v2/comments`,
      '/nope',
    ]) {
      for (const method of ['GET', 'OPTIONS']) {
        const answer = await site.request(path, { method, headers: { origin: 'https://a.example' } })
        // A hash can contain any letters.
        const shown = [...answer.headers].filter(([name]) => name !== 'etag')
        const text = `${shown.join('\n')}\n${await answer.text()}`.replaceAll('svc-rest', '')
        const line = text.split(/[\n,]/).find((part) => other.test(part))
        assert.is(line, undefined, `${word} ${method} ${path}`)
      }
    }
  }
})

words.run()
