'use strict'
// Starts a command on a Node that can run it. This file itself must parse on old releases of Node: plain CommonJS.

const { spawn } = require('child_process')
const fs = require('fs')
const os = require('os')
const path = require('path')
const { pathToFileURL } = require('url')

/** The oldest release that runs the commands (24.7 has argon2); "engines" in package.json says the same. */
const OLDEST = '24.7'
const STOP_SIGNALS = ['SIGTERM', 'SIGINT']
const root = path.dirname(__dirname)

/**
 * Runs the command `name` with the arguments of this process: in this process if its Node is new enough, otherwise with
 * the `node` package.
 */
module.exports = function launch(name) {
  if (process.env.npm_lifecycle_event) endWithParent()
  // A signal is how a server is stopped, so its exit code is 0. While it loads, there is nothing to stop.
  const stopsWell = name === 'serve'
  if (stopsWell) for (const signal of STOP_SIGNALS) process.on(signal, exitWell)
  onNewNode(() => run(name), stopsWell)
}
module.exports.onNewNode = onNewNode

/**
 * Calls `start` if the running Node is new enough. Otherwise runs the command line of this process again with the `node`
 * package; without one it prints what to install and sets the exit code to 1.
 * With `stopsWell`, the exit code is 0 if SIGTERM or SIGINT ends the process.
 */
function onNewNode(start, stopsWell = false) {
  if (runs(process.version)) return start()
  const newer = newerNode()
  if (newer) return handOver(newer, stopsWell)
  const isCheckout = fs.existsSync(path.join(root, 'bin', 'commands', 'serve.ts'))
  console.error(
    `${path.basename(process.argv[1])} needs Node ${OLDEST} or newer; this is ${process.version}.\n` +
      (isCheckout
        ? `Run "npm ci" in ${root}: it installs a newer one there.`
        : `Install one from https://nodejs.org, or add one to your site: npm install --save-dev node@26`),
  )
  process.exitCode = 1
}

function exitWell() {
  process.exit(0)
}

/** Leaves the signals to the command, or to the process that runs it. */
function leaveSignals() {
  for (const signal of STOP_SIGNALS) process.removeListener(signal, exitWell)
}

/** A signal to npm ends the shell that it started us with and stops there: what runs below a script would stay. */
function endWithParent() {
  const parent = process.ppid
  const watch = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(watch)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  watch.unref()
}

/** Imports the command from the sources of a checkout, or from what the package holds, and keeps its exit code. */
function run(name) {
  silenceExperiments()
  keepCompiledCode()
  // Node strips no types below node_modules; the package carries no sources anyway.
  const source = path.join(root, 'bin', 'commands', `${name}.ts`)
  const file = fs.existsSync(source) ? source : path.join(root, 'dist', 'bin', 'commands', `${name}.js`)
  let ended = false
  // Node ends a process in which nothing can happen any more, and calls that a success.
  process.once('exit', (code) => {
    if (ended || code !== 0) return
    console.error(`${name} waits for something that will never come: what it was to do is not done.`)
    process.exitCode = 1
  })
  import(pathToFileURL(file).href)
    .then(async (command) => {
      leaveSignals()
      const code = await command.main(process.argv.slice(2))
      ended = true
      if (typeof code === 'number') process.exitCode = code
      // A server ends by itself; commands do not wait for what plugins left open.
      if (command.end) await command.end(code)
    })
    .catch((error) => {
      console.error(error)
      process.exit(1)
    })
}

/**
 * Keeps stripped types and compiled code for the next start, which takes two thirds of the time then: where
 * NODE_COMPILE_CACHE says, else in a folder of this user. What lies there is run, so nobody else may write to it.
 */
function keepCompiledCode() {
  const folder = process.env.NODE_COMPILE_CACHE || ownFolder()
  // Threads and workers find it by the variable: without it, each of them loads what strips types.
  if (folder && require('module').enableCompileCache(folder).directory) process.env.NODE_COMPILE_CACHE = folder
}

/** A folder for temporary files that belongs to this user alone; undefined where somebody else has it. */
function ownFolder() {
  // Windows has no such number; temporary files of a user are out of reach for others there.
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

/** The first releases of Node 24 call the built-in type stripping and SQLite experiments; users cannot change that. */
function silenceExperiments() {
  const warn = process.emitWarning.bind(process)
  process.emitWarning = function (warning, ...rest) {
    if (/^(Type Stripping|SQLite) is an experimental feature/.test(String(warning))) return
    warn(warning, ...rest)
  }
}

/** The binary of the `node` package that this package finds, or undefined when there is none or it is too old. */
function newerNode() {
  let file
  try {
    file = require.resolve('node/package.json', { paths: [root] })
  } catch {
    return undefined
  }
  const found = JSON.parse(fs.readFileSync(file, 'utf8'))
  const binary = path.join(path.dirname(file), found.bin.node)
  return runs(found.version) && fs.existsSync(binary) ? binary : undefined
}

/** Runs this very command line with another Node; signals go to it, its way of ending becomes ours. */
function handOver(binary, stopsWell) {
  const child = spawn(binary, [...process.execArgv, ...process.argv.slice(1)], { stdio: 'inherit' })
  const signals = [...STOP_SIGNALS, 'SIGHUP']
  leaveSignals()
  for (const signal of signals) {
    process.on(signal, () => {
      // A terminal's Ctrl-C has reached the child as well; twice would mean "at once".
      if (signal === 'SIGINT' && process.stdin.isTTY) return
      child.kill(signal)
    })
  }
  child.on('error', (error) => {
    console.error(`${binary} does not start: ${error.message}`)
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code)
    // It had no time to listen for the signal.
    if (stopsWell && STOP_SIGNALS.includes(signal)) return process.exit(0)
    for (const name of signals) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}

/** Whether a release, such as v26.1.0, is new enough. */
function runs(version) {
  const [major, minor] = version.replace(/^v/, '').split('.').map(Number)
  const [least, leastMinor] = OLDEST.split('.').map(Number)
  return major > least || (major === least && minor >= leastMinor)
}
