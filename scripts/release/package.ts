import { gzipSync } from 'node:zlib'
import { commands } from '../../src/cli/commands.ts'
import { bashCompletion } from '../../src/cli/completion/bash.ts'
import { declared } from '../../src/cli/completion/declared.ts'
import { fishCompletion } from '../../src/cli/completion/fish.ts'
import { zshCompletion } from '../../src/cli/completion/zsh.ts'
import { manualPage } from '../../src/cli/manual.ts'
import {
  DATA,
  EXECUTABLE,
  PACKAGED_EXECUTABLE,
  PACKAGED_UNIT,
  PACKAGED_UNIT_TEXT,
  UNIT,
  USER,
  WRITTEN_BY,
} from '../../src/ops/install/unit.ts'
import type { Item } from './tar.ts'

// What the packages for Debian and Fedora have in common.

export type Release = {
  version: string
  /** When the commit was made, in seconds since 1970. */
  seconds: number
  /** The texts of all licences. */
  licences: string
}

export const SUMMARY = 'CRM server in one executable'
export const DESCRIPTION =
  'Contacts, companies, deals, mail and meetings behind a browser app and a REST interface, in one data folder.'
export const MAINTAINER = 'The Dealbox project <releases@dealbox.invalid>'

/** Files by their paths without the first slash. Debian and Fedora look for the completion of zsh in different folders. */
export function packageFiles(executable: Buffer, { version, seconds, licences }: Release, zsh: string): Item[] {
  const all = declared(commands)
  const text = (path: string, content: string): Item => ({ path, bytes: Buffer.from(content) })
  const manual = gzipSync(manualPage(commands, version, seconds * 1000), { level: 9 })
  return [
    { path: PACKAGED_EXECUTABLE.slice(1), mode: 0o755, bytes: executable },
    text(PACKAGED_UNIT.slice(1), PACKAGED_UNIT_TEXT),
    text('usr/share/bash-completion/completions/dealbox', bashCompletion(all)),
    text('usr/share/doc/dealbox/copyright', licences),
    text('usr/share/fish/vendor_completions.d/dealbox.fish', fishCompletion(all)),
    { path: 'usr/share/man/man1/dealbox.1.gz', bytes: manual },
    text(`usr/share/zsh/${zsh}/_dealbox`, zshCompletion(all)),
  ]
}

/** The user of the service stays when the package goes, as its data does. */
export const MAKE_USER = `if ! getent passwd ${USER} > /dev/null; then
  useradd --system --user-group --no-create-home --home-dir ${DATA} --shell /usr/sbin/nologin ${USER}
fi
`

const WANTED = '/etc/systemd/system/multi-user.target.wants/dealbox.service'

/** "dealbox install" has put another executable and unit before those of the package. Options and data stay. */
export const TAKE_OVER = `taken=''
if [ -f ${UNIT} ] && head -n 1 ${UNIT} | grep -q '^${WRITTEN_BY}'; then
  echo 'dealbox: takes the place of ${EXECUTABLE} and its unit, which "dealbox install" wrote; options and data stay'
  rm -f ${UNIT} ${EXECUTABLE} ${WANTED}
  taken=yes
fi
`
