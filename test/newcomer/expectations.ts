/** The outcome of a command in the docs that a newcomer types. */
export interface Expectation {
  /** The command starts a server, which runs until another command needs it to stop. */
  readonly serves?: true
  /** The text tells readers to stop the server before the command. */
  readonly stopsServer?: true
  /** Text that the command prints. A server prints it before it serves. */
  readonly prints?: RegExp
  /** HTTP status that `curl` receives; 200 by default. */
  readonly status?: number
  /** Placeholder in later commands that is replaced by the first group of `prints`. */
  readonly placeholder?: string
  /** Files that the reader has and the command reads. */
  readonly reads?: readonly ('export.wxr.xml' | 'uploads.tar.gz')[]
  /** The command runs elsewhere: a file of the repository, and a line in it. */
  readonly runsIn?: { readonly file: string; readonly line: RegExp }
}

/** Prints the password of the administrator. */
const FIRST_START = { serves: true, stopsServer: true, prints: /^ {2}Password {3}\S{20} /m } as const

/**
 * All commands in the shell blocks of `PAGES`. A command that is missing here, or an entry that no page has, fails the
 * tests: so no command in the docs goes untested.
 */
export const EXPECTATIONS: Readonly<Record<string, Expectation>> = {
  'git clone REPOSITORY_URL svc-rest': {},
  'cd svc-rest': {},
  'npm ci && npm start': FIRST_START,
  'node bin/create-svc-rest ../my-site': { stopsServer: true, prints: /^Created the site my-site:$/m },
  'cd ../my-site': {},
  'npm install && npm start': FIRST_START,
  // Takes some ten minutes. CI runs it first, in its own clone and as a newcomer.
  'npm ci && npm test': { runsIn: { file: '.ci/run', line: /npm ci && npm test/ } },

  'npx svc-import export.wxr.xml --uploads uploads.tar.gz': {
    stopsServer: true,
    prints: /^ {2}post items +[1-9]/m,
    reads: ['export.wxr.xml', 'uploads.tar.gz'],
  },
  'bin/svc user app-password create admin laptop': {
    prints: /^laptop \(\S+\) is ((?:\w{4} ){5}\w{4}) and is shown this once\.$/m,
    placeholder: 'abcd EFGH ijkl MNOP qrst UVWX',
  },

  'curl http://127.0.0.1:8080/svc-json/': { prints: /"routes":/ },
  "curl 'http://127.0.0.1:8080/svc-json/svc/v2/posts?per_page=3&_fields=id,title,link'": {
    prints: /^\[\{"id":\d+,"link":"http:[^"]+","title":\{"rendered":"[^"]+"\}\}/,
  },
  "curl 'http://127.0.0.1:8080/svc-json/svc/v2/posts?per_page=2&_fields=id,title,link'": {
    prints: /^\[\{"id":\d+,"link":"http:[^"]+","title":\{"rendered":"[^"]+"\}\}/,
  },
  "curl -I 'http://127.0.0.1:8080/svc-json/svc/v2/posts'": { prints: /^x-svc-total: \d+/im },
  "curl 'http://127.0.0.1:8080/svc-json/svc/v2/posts?_embed=author&per_page=1'": {
    prints: /"_embedded":\{"author":\[/,
  },
  'curl -X OPTIONS http://127.0.0.1:8080/svc-json/svc/v2/posts': { prints: /"schema":/ },
  "curl -u 'admin:abcd EFGH ijkl MNOP qrst UVWX' -d title=Hello -d status=publish http://127.0.0.1:8080/svc-json/svc/v2/posts":
    { status: 201, prints: /"title":\{"raw":"Hello"/ },
  "curl 'http://127.0.0.1:8080/svc-json/hello/v1/greet/Ada?times=2'": {
    prints: /^\{"lines":\["Good morning, Ada!","Good morning, Ada!"\]\}/,
  },
  "curl 'http://127.0.0.1:8080/svc-json/hello/v1/greet/Ada?times=9'": {
    status: 400,
    prints: /"code":"rest_invalid_param"/,
  },
  "curl 'http://127.0.0.1:8080/svc-json/svc/v2/posts?_fields=id,words,content'": { prints: /"words":\d+/ },
  "curl 'http://127.0.0.1:8080/svc-json/svc/v2/recipes'": { prints: /^\[\]/ },

  'npx svc hooks rest_prepare': { stopsServer: true, prints: /\bhello\b/ },
  'npx svc routes hello': { prints: /\/hello\/v1\/greet\// },
  'npx svc plugins hello': { prints: /^hello {2}needs posts, extra-fields, content-types/m },
  'SVC_TRACE=1 npm start': { serves: true },
}
