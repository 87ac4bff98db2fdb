import type { Branding } from '../../../kernel/index.ts'

declare module '../../../kernel/index.ts' {
  interface Branding {
    /** Relation of the API root in discovery links. */
    readonly rootRelation: string
    /** Action that REST nonces are bound to: `svc_rest`. */
    readonly nonceAction: string
    /** Parameter that carries a nonce: `_svcnonce`. */
    readonly nonceParameter: string
    /** What block comments in content begin with: `<!-- {mark}:name -->`. Content moves between sites, so no word changes it. */
    readonly blockMark: string
    /**
     * Where media files are found below the home URL: first the path of new URLs, then the one that imported content may
     * have. No word changes them either.
     */
    readonly uploadsPaths: readonly [current: string, former: string]
    /** URL path of the folders of themes, which their patterns name. */
    readonly themesPath: string
    /** Hashes of passwords that a content site of another make stores in a form of its own. No word changes them either. */
    readonly importedHash: ImportedHash
    /** Path of the login page: `/svc-login`. */
    readonly loginPath: string
    /** Path of the admin, where users come to after the login: `/svc-admin/`. */
    readonly adminPath: string
    /** Path of fresh nonces, with `?action=rest-nonce`: `/svc-admin/ajax`. */
    readonly ajaxPath: string
    /** Path of the profile of users, which leads to where they get a password for a program: `/svc-admin/profile`. */
    readonly profilePath: string
    /** Path of the page where users authorize an application: `/svc-admin/authorize-application`. */
    readonly authorizePath: string
    /** Path that the form for comments on pages posts to: `/svc-comments-post`. */
    readonly commentsPath: string
    /** Prefix of the name of the session cookie: `svc_logged_in`. */
    readonly sessionCookie: string
    /** A response or request header: `header('Total')` is `X-SVC-Total`. */
    header(this: void, name: string): string
    /** A namespace: `namespace('v2')` is `svc/v2`; `namespace('v1', 'site-health')` is `svc-site-health/v1`. */
    namespace(this: void, version: string, part?: string): string
    /** A compact link relation: `relation('term')` is `svc:term`. */
    relation(this: void, name: string): string
    /** A content type's name: `typeName('block')` is `svc_block`. */
    typeName(this: void, name: string): string
    /** A hook name that carries the word: `hookName('rest_server_class')` is `svc_rest_server_class`. */
    hookName(this: void, name: string): string
  }
}

/**
 * A form of bcrypt hash in which the password, trimmed, has been through HMAC-SHA384 and Base64 before. Described in
 * public: make.wordpress.org/core, "WordPress 6.8 will use bcrypt for password hashing", 17 February 2025.
 */
export interface ImportedHash {
  /** What stands before the bcrypt hash. */
  readonly prefix: string
  /** Key of the HMAC. */
  readonly key: string
}

type Places = Pick<
  Branding,
  'loginPath' | 'adminPath' | 'ajaxPath' | 'profilePath' | 'authorizePath' | 'commentsPath' | 'sessionCookie'
>

/** The word of the REST API that existing clients speak. */
export const EXISTING_WORD = 'wp'

/** Names of sites of another make, in their exports and URLs, which no word changes. */
export const exportedNames = {
  /** What the names of types and taxonomies begin with that carry the word. */
  typePrefix: 'wp_',
  /** What the keys of hidden meta begin with that carry the word. */
  metaPrefix: '_wp_',
  /** The folder of media files below the home URL. */
  uploads: '/wp-content/uploads',
  /** The folder of themes below the home URL. */
  themes: '/wp-content/themes',
  /** The list of sitemaps, below the home URL. */
  sitemaps: '/wp-sitemap.xml',
  /** What block comments, and classes and shortcodes of media, begin with. */
  blockMark: 'wp',
} as const

/** The words whose relation URIs existing clients compare to the letter. */
const RELATION_URIS: Readonly<Record<string, string>> = { [EXISTING_WORD]: 'https://api.w.org/' }

/** The words whose tools know the pages around the REST API by names of their own. */
const PLACES: Readonly<Record<string, Places>> = {
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
 * The branding of a word.
 * @param word lower-case letters and digits
 * @param relationUri URI before relation names; by default that of the word
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
    importedHash: { prefix: '$wp', key: 'wp-sha384' },
    ...(PLACES[word] ?? placesOf(word)),
    header: (name) => `X-${upper}-${name}`,
    namespace: (version, part) => (part === undefined ? `${word}/${version}` : `${word}-${part}/${version}`),
    relation: (name) => `${word}:${name}`,
    typeName: (name) => `${word}_${name}`,
    hookName: (name) => `${word}_${name}`,
  }
}

function placesOf(word: string): Places {
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
