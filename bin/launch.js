'use strict'
// Starts a command with a Node that can run it. Plain CommonJS, because old releases of Node must be able to parse it.

const { spawn } = require('child_process')
const fs = require('fs')
const os = require('os')
const path = require('path')
const { pathToFileURL } = require('url')

/** The oldest release that runs the commands: 24.7 added argon2. Same as "engines" in package.json. */
const OLDEST = '24.7'
const STOP_SIGNALS = ['SIGTERM', 'SIGINT']
const root = path.dirname(__dirname)

/**
 * Runs the command `name` with the arguments of this process: in this process if its Node is new enough, otherwise with
 * the `node` package.
 */
module.exports = function launch(name) {
  if (process.env.npm_lifecycle_event) endWithParent()
  // A server is stopped by a signal, so the exit code is 0. While it loads, it can exit immediately.
  const exitsWithZero = name === 'serve'
  if (exitsWithZero) for (const signal of STOP_SIGNALS) process.on(signal, exitWithZero)
  onNewNode(() => run(name), exitsWithZero)
}
module.exports.onNewNode = onNewNode

/**
 * Calls `start` if the running Node is new enough. Otherwise runs the command line of this process again with the `node`
 * package, or, without one, prints what to install and sets the exit code to 1.
 * With `exitsWithZero`, the exit code is 0 if SIGTERM or SIGINT ends the process.
 */
function onNewNode(start, exitsWithZero = false) {
  if (isSupported(process.version)) return start()
  const newer = newerNode()
  if (newer) return runWith(newer, exitsWithZero)
  const isCheckout = fs.existsSync(path.join(root, 'bin', 'commands', 'serve.ts'))
  console.error(
    `${path.basename(process.argv[1])} needs Node ${OLDEST} or newer; this is ${process.version}.\n` +
      (isCheckout
        ? `Run "npm ci" in ${root}: it installs a newer Node there.`
        : `Install it from https://nodejs.org, or add it to your site: npm install --save-dev node@26`),
  )
  process.exitCode = 1
}

function exitWithZero() {
  process.exit(0)
}

/** Removes our signal handlers: the command, or the process that runs it, handles signals. */
function removeSignalHandlers() {
  for (const signal of STOP_SIGNALS) process.removeListener(signal, exitWithZero)
}

/** Ends this process when its parent is gone. A signal to npm ends only the shell of the script, not this process. */
function endWithParent() {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}

/** Imports the command from the sources of a checkout, or from `dist` of the package, and sets its exit code. */
function run(name) {
  hideExperimentalWarnings()
  enableCompileCache()
  // The package does not contain sources: Node does not strip types in node_modules.
  const source = path.join(root, 'bin', 'commands', `${name}.ts`)
  const file = fs.existsSync(source) ? source : path.join(root, 'dist', 'bin', 'commands', `${name}.js`)
  let ended = false
  // Node exits with code 0 if the event loop is empty while a promise is still pending.
  process.once('exit', (code) => {
    if (ended || code !== 0) return
    console.error(`${name} did not finish: it awaits a promise that will never settle.`)
    process.exitCode = 1
  })
  import(pathToFileURL(file).href)
    .then(async (command) => {
      removeSignalHandlers()
      const code = await command.main(process.argv.slice(2))
      ended = true
      if (typeof code === 'number') process.exitCode = code
      // Commands with an `end` do not wait for timers and connections that plugins left open.
      if (command.end) await command.end(code)
    })
    .catch((error) => {
      console.error(error)
      process.exit(1)
    })
}

/**
 * Caches stripped types and compiled code, which reduces the time of the next start by a third, in NODE_COMPILE_CACHE or in
 * a folder of this user. No other user must be able to write to it, because its content is executed.
 */
function enableCompileCache() {
  const folder = process.env.NODE_COMPILE_CACHE || ownFolder()
  // Threads and workers find the cache by the variable. Without it, each of them would load the type stripper.
  if (folder && require('module').enableCompileCache(folder).directory) process.env.NODE_COMPILE_CACHE = folder
}

/** Creates a temporary folder that only this user can write to. Returns undefined if another user owns it. */
function ownFolder() {
  // Windows has no user ID; its temporary folders are private to each user.
  const uid = process.getuid ? process.getuid() : undefined
  const folder = path.join(os.tmpdir(), uid === undefined ? 'svc-rest' : `svc-rest-${uid}`)
  try {
    fs.mkdirSync(folder, { recursive: true, mode: 0o700 })
    const found = fs.lstatSync(folder)
    const isOwn = uid === undefined || (found.uid === uid && (found.mode & 0o022) === 0)
    return found.isDirectory() && isOwn ? folder : undefined
  } catch {
    return undefined
  }
}

/** Hides the warnings of the first releases of Node 24 that type stripping and SQLite are experimental. */
function hideExperimentalWarnings() {
  const warn = process.emitWarning.bind(process)
  process.emitWarning = function (warning, ...rest) {
    if (/^(Type Stripping|SQLite) is an experimental feature/.test(String(warning))) return
    warn(warning, ...rest)
  }
}

/** Returns the binary of the `node` package; undefined if it is not installed or too old. */
function newerNode() {
  let file
  try {
    file = require.resolve('node/package.json', { paths: [root] })
  } catch {
    return undefined
  }
  const found = JSON.parse(fs.readFileSync(file, 'utf8'))
  const binary = path.join(path.dirname(file), found.bin.node)
  return isSupported(found.version) && fs.existsSync(binary) ? binary : undefined
}

/** Runs this command line with another Node. Forwards signals to it, and exits with its code or signal. */
function runWith(binary, exitsWithZero) {
  const child = spawn(binary, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' })
  const signals = [...STOP_SIGNALS, 'SIGHUP']
  removeSignalHandlers()
  for (const signal of signals) {
    process.on(signal, () => {
      // Ctrl-C in a terminal also reaches the child, and a second signal would kill it immediately.
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    })
  }
  child.on('error', (error) => {
    console.error(`Cannot start ${binary}: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code)
    // The child received the signal before it had a handler.
    if (exitsWithZero && STOP_SIGNALS.includes(signal)) return process.exit(0)
    for (const name of signals) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}

/** Whether a release such as v26.1.0 can run the commands. */
function isSupported(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number)
  const [least, leastMinor] = OLDEST.split('.').map(Number)
  return major > least || (major === least && minor >= leastMinor)
}
