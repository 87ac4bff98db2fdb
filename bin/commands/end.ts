/**
 * Ends the process with an exit code once all that was printed is out, though a plugin has left a timer or a connection
 * open that would keep it alive. For commands whose work is done when `main` resolves; `bin/launch.js` calls it.
 */
export async function end(code: number): Promise<never> {
  for (const stream of [process.stdout, process.stderr]) {
    // A reader that has gone, as in `svc routes | head -1`, gets nothing more.
    await new Promise<void>((done) => stream.write('', () => done()))
  }
  process.exit(code)
}
