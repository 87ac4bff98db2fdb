import type { Branding } from '../../../kernel/index.ts'

declare module '../../../kernel/index.ts' {
  interface Branding {
    /** Link relation of the API root. */
    readonly rootRelation: string
    /** Action that REST nonces are bound to: `svc_rest`. */
    readonly nonceAction: string
    /** Parameter that carries a nonce: `_svcnonce`. */
    readonly nonceParameter: string
    /**
     * Prefix of block comments in content: `<!-- {mark}:name -->`. It is the same for every word, because content moves
     * between sites.
     */
    readonly blockMark: string
    /**
     * Paths of media files below the home URL: first the path of new URLs, then the path in imported content. The same
     * for every word.
     */
    readonly uploadsPaths: readonly [current: string, former: string]
    /** URL path of theme folders, which patterns contain. */
    readonly themesPath: string
    /** URL path of icons of media types in the format of custom fields. The same for every word. */
    readonly mediaIconsPath: string
    /** Format of password hashes in imported sites. The same for every word. */
    readonly importedHash: ImportedHash
    /** Path of the login page: `/svc-login`. */
    readonly loginPath: string
    /** Path of the admin, to which users are redirected after the login: `/svc-admin/`. */
    readonly adminPath: string
    /** Path that returns new nonces with `?action=rest-nonce`: `/svc-admin/ajax`. */
    readonly ajaxPath: string
    /** Path of the user profile, which links to application passwords: `/svc-admin/profile`. */
    readonly profilePath: string
    /** Path of the page where users authorize an application: `/svc-admin/authorize-application`. */
    readonly authorizePath: string
    /** Path that the comment form posts to: `/svc-comments-post`. */
    readonly commentsPath: string
    /** Prefix of the name of the session cookie: `svc_logged_in`. */
    readonly sessionCookie: string
    /** Returns the name of a response or request header: `header('Total')` is `X-SVC-Total`. */
    header(this: void, name: string): string
    /** Returns a namespace: `namespace('v2')` is `svc/v2`; `namespace('v1', 'site-health')` is `svc-site-health/v1`. */
    namespace(this: void, version: string, part?: string): string
    /** Returns a compact link relation: `relation('term')` is `svc:term`. */
    relation(this: void, name: string): string
    /** Returns the name of a content type: `typeName('block')` is `svc_block`. */
    typeName(this: void, name: string): string
    /**
     * Returns the name on this site of a type in content or in an export file, which can have the prefix of another
     * word: for `wp_block` the name that `typeName('block')` returns.
     */
    ownTypeName(this: void, name: string): string
    /** Returns a hook name with the word: `hookName('rest_server_class')` is `svc_rest_server_class`. */
    hookName(this: void, name: string): string
  }
}

/**
 * Format of a bcrypt hash whose password has been trimmed and passed through HMAC-SHA384 and Base64. Public
 * description: make.wordpress.org/core, "WordPress 6.8 will use bcrypt for password hashing", 17 February 2025.
 */
export interface ImportedHash {
  /** Prefix of the bcrypt hash. */
  readonly prefix: string
  /** Key of the HMAC. */
  readonly key: string
}

type BrandPaths = Pick<
  Branding,
  'loginPath' | 'adminPath' | 'ajaxPath' | 'profilePath' | 'authorizePath' | 'commentsPath' | 'sessionCookie'
>

/** Word of the REST API that existing clients use. */
export const EXISTING_WORD = 'wp'

/** Names in exports and URLs of WordPress sites, which are the same for every word. */
export const exportedNames = {
  /** Prefix of the names of types and taxonomies. */
  typePrefix: 'wp_',
  /** Prefix of the keys of hidden meta. */
  metaPrefix: '_wp_',
  /** Folder of media files below the home URL. */
  uploads: '/wp-content/uploads',
  /** Pattern of the hosts of a service that resizes images: the URL of an image without its scheme follows. */
  imageService: String.raw`i\d\.wp\.com`,
  /** Folder of themes below the home URL. */
  themes: '/wp-content/themes',
  /** Folder of icons of media types below the home URL. */
  mediaIcons: '/wp-includes/images/media',
  /** Path of the sitemap index below the home URL. */
  sitemaps: '/wp-sitemap.xml',
  /** Prefix of block comments, and of classes and shortcodes of media. */
  blockMark: 'wp',
} as const

/** Prefixes of names of types in content and in export files. */
export const TYPE_PREFIXES = [exportedNames.typePrefix, 'svc_']

/** Relation URIs by word, if existing clients compare them literally. */
const RELATION_URIS: Readonly<Record<string, string>> = { [EXISTING_WORD]: 'https://api.w.org/' }

/** Paths and cookie names by word, if existing tools expect them. */
const BRAND_PATHS: Readonly<Record<string, BrandPaths>> = {
  [EXISTING_WORD]: {
    loginPath: '/wp-login.php',
    adminPath: '/wp-admin/',
    ajaxPath: '/wp-admin/admin-ajax.php',
    profilePath: '/wp-admin/profile.php',
    authorizePath: '/wp-admin/authorize-application.php',
    commentsPath: '/wp-comments-post.php',
    sessionCookie: 'wordpress_logged_in',
  },
}

/**
 * Creates the branding of a word.
 * @param word lower-case letters and digits
 * @param relationUri URI before relation names; by default depends on the word
 */
export function branding(word: string, relationUri = RELATION_URIS[word] ?? `urn:${word}-rest:`): Branding {
  const upper = word.toUpperCase()
  return {
    word,
    prefix: `${word}-json`,
    relationUri,
    rootRelation: relationUri,
    nonceAction: `${word}_rest`,
    nonceParameter: `_${word}nonce`,
    blockMark: exportedNames.blockMark,
    uploadsPaths: ['/uploads', exportedNames.uploads],
    themesPath: exportedNames.themes,
    mediaIconsPath: exportedNames.mediaIcons,
    importedHash: { prefix: '$wp', key: 'wp-sha384' },
    ...(BRAND_PATHS[word] ?? defaultPaths(word)),
    header: (name) => `X-${upper}-${name}`,
    namespace: (version, part) => (part === undefined ? `${word}/${version}` : `${word}-${part}/${version}`),
    relation: (name) => `${word}:${name}`,
    typeName: (name) => `${word}_${name}`,
    ownTypeName: (name) => {
      const prefix = TYPE_PREFIXES.find((known) => name.startsWith(known))
      return prefix === undefined ? name : `${word}_${name.slice(prefix.length)}`
    },
    hookName: (name) => `${word}_${name}`,
  }
}

function defaultPaths(word: string): BrandPaths {
  return {
    loginPath: `/${word}-login`,
    adminPath: `/${word}-admin/`,
    ajaxPath: `/${word}-admin/ajax`,
    profilePath: `/${word}-admin/profile`,
    authorizePath: `/${word}-admin/authorize-application`,
    commentsPath: `/${word}-comments-post`,
    sessionCookie: `${word}_logged_in`,
  }
}
