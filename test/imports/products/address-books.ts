import { csv, isReachable, mess, type ProductFile, ROWS, withDuplicates, written } from './mess.ts'

// Google Contacts, Outlook, LinkedIn and a grid of Airtable: files of people.

const GOOGLE =
  'First Name,Middle Name,Last Name,Phonetic First Name,Phonetic Middle Name,Phonetic Last Name,Name Prefix,Name Suffix,Nickname,File As,Organization Name,Organization Title,Organization Department,Birthday,Notes,Photo,Labels,E-mail 1 - Label,E-mail 1 - Value,E-mail 2 - Label,E-mail 2 - Value,Phone 1 - Label,Phone 1 - Value,Address 1 - Label,Address 1 - Formatted,Address 1 - Street,Address 1 - City,Address 1 - PO Box,Address 1 - Region,Address 1 - Postal Code,Address 1 - Country,Address 1 - Extended Address,Website 1 - Label,Website 1 - Value'

export function google(count = ROWS): ProductFile[] {
  const m = mess(404)
  const rows = m.rows(count, (index) => {
    const cells = {
      'First Name': m.chance(0.85) ? m.first() : '',
      'Middle Name': m.chance(0.1) ? 'Xaver' : '',
      'Last Name': m.chance(0.7) ? m.last() : '',
      'Organization Name': m.chance(0.4) ? m.company() : '',
      'Organization Title': m.chance(0.3) ? 'Chief ::: Founder' : '',
      Birthday: m.chance(0.2) ? m.pick([written.iso(m.day()), ' --05-01']) : '',
      Notes: m.chance(0.3) ? m.note() : '',
      Photo: `https://lh3.googleusercontent.com/contacts/${index}`,
      Labels: m.pick(['* myContacts', 'VIP ::: * myContacts', '* coworkers ::: * myContacts', '']),
      'E-mail 1 - Label': m.pick(['* ', '* Work', 'Home', '']),
      'E-mail 1 - Value': m.chance(0.7) ? m.email() : '',
      'E-mail 2 - Value': m.chance(0.2) ? `second${index}@x.example ::: third${index}@x.example` : '',
      'Phone 1 - Label': m.pick(['Mobile', 'Work', '* Home', '']),
      'Phone 1 - Value': m.chance(0.5) ? (m.chance(0.4) ? '+49 30 1234 ::: 0171 234' : m.phone()) : '',
      'Address 1 - Street': m.chance(0.2) ? 'Am Weg 3\nHinterhaus' : '',
      'Address 1 - Country': m.chance(0.2) ? m.country() : '',
      'Website 1 - Value': m.chance(0.2) ? m.pick(['http://x.example', 'https://y.example/a?b=c']) : '',
    }
    return {
      cells,
      isUsable: isReachable(
        cells,
        ['First Name', 'Middle Name', 'Last Name'],
        ['E-mail 1 - Value', 'E-mail 2 - Value', 'Phone 1 - Value'],
      ),
    }
  })
  return [{ name: 'google-contacts.csv', object: 'contact', text: csv(GOOGLE, rows, { eol: '\n', mark: true }), rows }]
}

const OUTLOOK =
  "Title,First Name,Middle Name,Last Name,Suffix,Company,Department,Job Title,Business Street,Business Street 2,Business Street 3,Business City,Business State,Business Postal Code,Business Country/Region,Home Street,Home Street 2,Home Street 3,Home City,Home State,Home Postal Code,Home Country/Region,Other Street,Other City,Assistant's Phone,Business Fax,Business Phone,Business Phone 2,Callback,Car Phone,Company Main Phone,Home Fax,Home Phone,Home Phone 2,ISDN,Mobile Phone,Other Fax,Other Phone,Pager,Primary Phone,Account,Anniversary,Assistant's Name,Billing Information,Birthday,Categories,Children,E-mail Address,E-mail Type,E-mail Display Name,E-mail 2 Address,E-mail 2 Type,E-mail 2 Display Name,Gender,Initials,Keywords,Language,Location,Manager's Name,Notes,Office Location,Priority,Private,Profession,Sensitivity,Spouse,User 1,Web Page"

export function outlook(count = ROWS): ProductFile[] {
  const m = mess(505)
  const rows = m.rows(count, () => {
    const cells = {
      Title: m.pick(['Herr', 'Dr.', 'Ms', '']),
      'First Name': m.often(0.85, m.first),
      'Last Name': m.often(0.85, m.last),
      Company: m.often(0.6, m.company),
      'Job Title': m.often(0.5, () => 'Geschäftsführer'),
      'Business Street': m.often(0.4, () => 'Hauptstraße 5\n2. Stock'),
      'Business Postal Code': m.often(0.4, () => m.digits(5)),
      'Business Country/Region': m.often(0.5, m.country),
      'Business Phone': m.often(0.5, m.phone),
      'Mobile Phone': m.often(0.3, () => '0171 2345678'),
      Anniversary: '0/0/00',
      Birthday: m.pick(['0/0/00', '1/5/1980', '']),
      Categories: m.often(0.3, () => 'Kunde;Presse'),
      'E-mail Address': m.often(0.8, m.email),
      'E-mail Type': 'SMTP',
      'E-mail Display Name': 'Someone (x@x.example)',
      Gender: 'Unspecified',
      Notes: m.often(0.4, m.note),
      Priority: 'Normal',
      Private: 'False',
      'Web Page': m.often(0.2, () => (m.chance(0.2) ? m.wrong('website', 'in progress') : 'www.acme.example')),
    }
    return {
      cells,
      isUsable: isReachable(cells, ['First Name', 'Last Name'], ['E-mail Address', 'Business Phone', 'Mobile Phone']),
    }
  })
  const all = withDuplicates(rows, 'Last Name', 'E-mail Address')
  return [{ name: 'outlook.csv', object: 'contact', text: csv(OUTLOOK, all, { separator: ';' }), rows: all }]
}

const LINKEDIN = 'First Name,Last Name,URL,Email Address,Company,Position,Connected On'
const ABOVE = 'Notes:\n"Some of the email addresses may be missing; others, ""hidden"", are not in this file."\n\n'

export function linkedin(count = ROWS): ProductFile[] {
  const m = mess(606)
  const rows = m.rows(count, (index) => {
    const cells = {
      'First Name': m.chance(0.97) ? m.first() : '',
      'Last Name': m.chance(0.9) ? m.last() : '',
      URL: `https://www.linkedin.com/in/person-${index}`,
      'Email Address': m.chance(0.2) ? m.email() : '',
      Company: m.chance(0.8) ? m.company() : '',
      Position: m.chance(0.8) ? 'Founder, "CEO"' : '',
      'Connected On': written.named(m.day()),
    }
    return { cells, isUsable: isReachable(cells, ['First Name', 'Last Name'], ['Email Address']) }
  })
  return [{ name: 'Connections.csv', object: 'contact', text: csv(LINKEDIN, rows, { eol: '\n', above: ABOVE }), rows }]
}

const AIRTABLE = 'Name,Email,Phone,Company,Status,Tags,Owner,Do not call,Country,Website,Notes,Attachments,Created'

export function airtable(count = ROWS): ProductFile[] {
  const m = mess(707)
  const rows = m.rows(count, () => {
    const cells = {
      Name: m.often(0.85, () => m.pick([`${m.first()} ${m.last()}`, `${m.last()}, ${m.first()}`])),
      Email: m.often(0.7, m.email),
      Phone: m.often(0.5, m.phone),
      Company: m.often(0.6, m.company),
      Status: 'Lead',
      Tags: m.often(0.4, () => 'Fair 2024,Press'),
      Owner: m.often(0.5, m.owner),
      'Do not call': m.pick(['checked', '', '']),
      Country: m.often(0.4, m.country),
      Website: m.often(0.3, () => 'acme.example'),
      Notes: m.often(0.4, m.note),
      Attachments: m.often(0.2, () => 'card.png (https://v5.airtableusercontent.com/x)'),
      Created: m.pick([written.american(m.day()), '12/31/2023 2:05pm']),
    }
    return { cells, isUsable: isReachable(cells, ['Name'], ['Email', 'Phone']) }
  })
  return [{ name: 'Grid view.csv', object: 'contact', text: csv(AIRTABLE, rows, { eol: '\n', mark: true }), rows }]
}
