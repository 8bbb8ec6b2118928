import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseAllow } from '../../../src/lib/net/allow.ts'
import { type Address, guard } from '../../../src/lib/net/guard.ts'

/** The list, the host (a name with what it resolves to), and whether it may be a target. */
type Case = [list: string, url: string, answers: string[], isAllowed: boolean]

const CASES: readonly Case[] = [
  // by host
  ['', 'http://hooks.lan/', ['10.0.0.5'], false],
  ['hooks.lan', 'http://hooks.lan/', ['10.0.0.5', 'fd00::5'], true],
  ['Hooks.LAN.', 'http://HOOKS.lan/', ['10.0.0.5'], true],
  ['hooks.lan', 'http://hooks.lan./', ['10.0.0.5'], true],
  ['hooks.lan', 'http://a.hooks.lan/', ['10.0.0.5'], false],
  ['hooks.lan', 'http://xhooks.lan/', ['10.0.0.5'], false],
  ['bücher.lan', 'http://xn--bcher-kva.lan/', ['10.0.0.5'], true],
  ['hooks.lan', 'http://10.0.0.5/', [], false],
  ['hooks.lan', 'http://hooks.lan/', ['100.64.0.1'], true],
  ['hooks.lan', 'http://hooks.lan/', ['127.0.0.1'], false],
  ['hooks.lan', 'http://hooks.lan/', ['::1'], false],
  ['hooks.lan', 'http://hooks.lan/', ['169.254.169.254'], false],
  ['hooks.lan', 'http://hooks.lan/', ['fe80::1'], false],
  ['hooks.lan', 'http://hooks.lan/', ['0.0.0.0'], false],
  ['hooks.lan', 'http://hooks.lan/', ['::'], false],
  ['hooks.lan', 'http://hooks.lan/', ['fd00:ec2::254'], false],
  ['hooks.lan', 'http://hooks.lan/', ['168.63.129.16'], false],
  ['hooks.lan', 'http://hooks.lan/', ['64:ff9b::7f00:1'], false],
  ['hooks.lan', 'http://hooks.lan/', ['::7f00:1'], false],
  ['hooks.lan, 127.0.0.1', 'http://hooks.lan/', ['10.0.0.5', '127.0.0.1'], true],
  ['hooks.lan', 'http://hooks.lan/', ['10.0.0.5', '127.0.0.1'], false],
  // by address
  ['10.0.0.5', 'http://10.0.0.5/', [], true],
  ['10.0.0.5', 'http://10.0.0.6/', [], false],
  ['10.0.0.5', 'http://any.example/', ['10.0.0.5'], true],
  ['10.0.0.5', 'http://[::ffff:10.0.0.5]/', [], true],
  ['::ffff:10.0.0.5', 'http://10.0.0.5/', [], true],
  ['10.0.0.5', 'http://[64:ff9b::10.0.0.5]/', [], false],
  ['64:ff9b::10.0.0.5', 'http://[64:ff9b::10.0.0.5]/', [], true],
  ['[fd00::5]', 'http://[fd00::5]/', [], true],
  ['fd00:0:0::5', 'http://[fd00::5]/', [], true],
  ['127.0.0.1', 'http://127.0.0.1/', [], true],
  ['127.0.0.1', 'http://127.0.0.2/', [], false],
  ['127.0.0.1', 'http://[::1]/', [], false],
  ['::1', 'http://[::1]/', [], true],
  ['0.0.0.0', 'http://0.0.0.0/', [], true],
  ['169.254.169.254', 'http://169.254.169.254/', [], true],
  ['168.63.129.16', 'http://168.63.129.16/', [], true],
  // by network
  ['10.0.0.0/8', 'http://10.200.0.1/', [], true],
  ['10.0.0.0/8', 'http://192.168.0.1/', [], false],
  ['10.0.0.0/8', 'http://[::ffff:10.1.1.1]/', [], true],
  ['::ffff:10.0.0.0/104', 'http://10.1.1.1/', [], true],
  ['fd00::/8', 'http://[fd12::1]/', [], true],
  ['fd00::/8', 'http://[fd00:ec2::254]/', [], false],
  ['fd00:ec2::254/128', 'http://[fd00:ec2::254]/', [], true],
  ['0.0.0.0/0', 'http://10.0.0.1/', [], true],
  ['0.0.0.0/0', 'http://[fd00::1]/', [], false],
  ['::/0', 'http://[fd00::1]/', [], true],
  ['::/0', 'http://10.0.0.1/', [], false],
  ['0.0.0.0/0', 'http://127.0.0.1/', [], false],
  ['0.0.0.0/0', 'http://169.254.169.254/', [], false],
  ['0.0.0.0/0', 'http://0.0.0.0/', [], false],
  ['0.0.0.0/0', 'http://168.63.129.16/', [], false],
  ['100.64.0.0/10', 'http://100.100.100.200/', [], false],
  ['::/0', 'http://[::1]/', [], false],
  ['::/0', 'http://[fe80::1]/', [], false],
  ['::/0', 'http://[::]/', [], false],
  ['::/0', 'http://[::7f00:1]/', [], false],
  ['::/0', 'http://[64:ff9b::7f00:1]/', [], false],
  ['64:ff9b::7f00:0/104', 'http://[64:ff9b::7f00:1]/', [], true],
  ['64:ff9b::/96', 'http://[64:ff9b::7f00:1]/', [], false],
  ['64:ff9b::/96', 'http://[64:ff9b::a00:1]/', [], true],
  ['126.0.0.0/7', 'http://127.0.0.1/', [], false],
  ['127.0.0.0/8', 'http://127.9.9.9/', [], true],
  ['127.0.0.0/24', 'http://127.0.0.1/', [], true],
  ['127.0.0.0/8', 'http://any.example/', ['127.0.0.1'], true],
  ['169.254.0.0/16', 'http://169.254.169.254/', [], true],
  ['169.254.0.0/15', 'http://169.254.169.254/', [], false],
  ['0.0.0.0/8', 'http://0.0.0.0/', [], true],
  ['fe80::/10', 'http://[fe80::1]/', [], true],
  ['fe80::/9', 'http://[fe80::1]/', [], false],
  // localhost
  ['localhost', 'http://localhost/', [], true],
  ['localhost', 'http://LOCALHOST./', [], true],
  ['localhost', 'http://127.0.0.1/', [], false],
  ['localhost', 'http://a.localhost/', [], false],
  ['127.0.0.1', 'http://localhost/', [], true],
  ['::1', 'http://a.localhost/', [], true],
  ['10.0.0.0/8', 'http://localhost/', [], false],
  // ports
  ['10.0.0.5:8080', 'http://10.0.0.5:8080/', [], true],
  ['10.0.0.5:8080', 'http://10.0.0.5:8081/', [], false],
  ['10.0.0.5:80', 'http://10.0.0.5/', [], true],
  ['10.0.0.5:443', 'https://10.0.0.5/', [], true],
  ['10.0.0.5:443', 'http://10.0.0.5/', [], false],
  ['10.0.0.5', 'http://10.0.0.5:8081/', [], true],
  ['hooks.lan:8080', 'http://hooks.lan:8080/', ['10.0.0.5'], true],
  ['hooks.lan:8080', 'http://hooks.lan/', ['10.0.0.5'], false],
  ['[::1]:8080', 'http://[::1]:8080/', [], true],
  ['[::1]:8080', 'http://[::1]/', [], false],
  ['localhost:8080', 'http://localhost:8080/', [], true],
  ['localhost:8080', 'http://localhost/', [], false],
  // our own ports, of which 9000 is one
  ['', 'http://[2606:4700::1]:9000/', [], true],
  ['127.0.0.1', 'http://127.0.0.1:9000/', [], false],
  ['127.0.0.0/8', 'http://127.0.0.1:9000/', [], false],
  ['127.0.0.1:9000', 'http://127.0.0.1:9000/', [], true],
  ['127.0.0.1:9000', 'http://127.0.0.2:9000/', [], false],
  ['127.0.0.0/8, 127.0.0.1:9000', 'http://127.0.0.2:9000/', [], false],
  ['127.0.0.1:9000', 'http://any.example:9000/', ['127.0.0.1'], true],
  ['127.0.0.1:9000', 'http://[::ffff:127.0.0.1]:9000/', [], true],
  ['0.0.0.0', 'http://0.0.0.0:9000/', [], false],
  ['0.0.0.0:9000', 'http://0.0.0.0:9000/', [], true],
  ['localhost', 'http://localhost:9000/', [], false],
  ['localhost:9000', 'http://localhost:9000/', [], true],
  ['any.example:9000', 'http://any.example:9000/', ['127.0.0.1'], false],
  ['10.0.0.5', 'http://10.0.0.5:9000/', [], true],
]

for (const [list, url, answers, isAllowed] of CASES)
  test(`"${list}" ${isAllowed ? 'allows' : 'refuses'} ${url}${answers.length ? ` at ${answers.join(' and ')}` : ''}`, async () => {
    const lookup = async (): Promise<Address[]> =>
      answers.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
    const { refusal, resolve } = guard({ allow: parseAllow(list), ownPorts: () => [9000], lookup })
    if (answers.length === 0) assert.equal(refusal(url) === undefined, isAllowed)
    else assert.equal(refusal(url), undefined)
    if (isAllowed) assert.ok((await resolve(url)).length > 0)
    else await assert.rejects(resolve(url), { code: 'url_not_allowed' })
  })

test('the list may be empty, and have spaces', () => {
  assert.deepEqual(parseAllow(''), [])
  assert.deepEqual(parseAllow('  '), [])
  assert.equal(parseAllow(' hooks.lan ,10.0.0.5 ,\t[::1]:80').length, 3)
})

const MALFORMED = [
  'a,,b',
  'a,',
  '*.lan',
  '*',
  'http://hooks.lan',
  'hooks.lan/path',
  'user@hooks.lan',
  'hooks.lan?x',
  'hooks.lan#x',
  'hooks.lan\\x',
  '%31.lan',
  'hooks..lan',
  '.',
  'ho oks',
  'hooks.lan:0',
  'hooks.lan:65536',
  'hooks.lan:http',
  'hooks.lan:',
  '10.0.0.5:99999',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/',
  '10.0.0.0/8.0',
  '10.0.0.0/8:80',
  '10.0.0.5/8',
  '10.0.0/8',
  'hooks.lan/8',
  '/8',
  'fd00::/129',
  'fd00::1/8',
  '[fd00::]/8',
  '::ffff:0.0.0.0/90',
  'fe80::1%eth0',
  '[fe80::1%eth0]:80',
  '[::1',
  '[10.0.0.1]',
  '[hooks.lan]',
  '0x7f.1',
  '2130706433',
  '127.1',
  '１２７.0.0.1',
  '256.0.0.1',
  'a.localhost',
  '::7f00:1',
  '::127.0.0.0/104',
]

for (const list of MALFORMED)
  test(`"${list}" is refused with its entry named`, () => {
    assert.throws(() => parseAllow(list), {
      code: 'usage',
      message: new RegExp(
        `^"${RegExp.escape(list.split(',').at(list === 'a,,b' ? 1 : -1) as string)}" in --webhook-allow `,
      ),
    })
  })
