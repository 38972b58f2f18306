// What a reader is told if a viewer gets no token: what is wrong, and what to do (Authorization Flow 2.0,
// section 4.5).

import type { LanguageMap } from "./auth-words.ts";

/** Language of the texts, of which each is in all. */
export type TextLanguage = "en" | "de" | "fr" | "es" | "it" | "nl";

type Texts = Readonly<Record<TextLanguage, string>>;

interface FaultTexts {
  readonly heading: Texts;
  readonly note: Texts;
  /** True if the viewer of this service itself would get a token. */
  readonly elsewhere?: true;
}

/** Ends the note of a fault that other viewers have; `{view}` is the address of this service's own. */
const instead: Texts = {
  en: "Or open the document in the viewer of its own site: {view}",
  de: "Oder öffnen Sie das Dokument im Betrachter seiner eigenen Website: {view}",
  fr: "Ou ouvrez le document dans la visionneuse de son propre site : {view}",
  es: "O abra el documento en el visor de su propio sitio: {view}",
  it: "Oppure apra il documento nel visualizzatore del suo sito: {view}",
  nl: "Of open het document in de viewer van de eigen site: {view}",
};

const faults = {
  request: {
    heading: {
      en: "This viewer cannot ask for access",
      de: "Dieser Betrachter kann keinen Zugang erfragen",
      fr: "Cette visionneuse ne peut pas demander l’accès",
      es: "Este visor no puede pedir acceso",
      it: "Questo visualizzatore non può chiedere l’accesso",
      nl: "Deze viewer kan geen toegang vragen",
    },
    note: {
      en: "Its request lacks a part, or has one twice: a viewer sends one messageId and one origin. Tell those who run the viewer.",
      de: "Seiner Anfrage fehlt ein Teil, oder einer steht doppelt darin: Ein Betrachter sendet eine messageId und einen origin. Sagen Sie es denen, die den Betrachter betreiben.",
      fr: "Il manque une partie à sa demande, ou elle en contient une deux fois : une visionneuse envoie un messageId et un origin. Prévenez les responsables de la visionneuse.",
      es: "A su petición le falta una parte, o contiene una dos veces: un visor envía un messageId y un origin. Avise a los responsables del visor.",
      it: "Alla sua richiesta manca una parte, oppure ne contiene una due volte: un visualizzatore invia un messageId e un origin. Avvisi chi gestisce il visualizzatore.",
      nl: "In de aanvraag ontbreekt een deel, of er staat een deel dubbel in: een viewer stuurt één messageId en één origin. Meld het aan de beheerders van de viewer.",
    },
    elsewhere: true,
  },
  origin: {
    heading: {
      en: "No access from the viewer of this site",
      de: "Kein Zugang aus dem Betrachter dieser Website",
      fr: "Pas d’accès depuis la visionneuse de ce site",
      es: "Sin acceso desde el visor de este sitio",
      it: "Nessun accesso dal visualizzatore di questo sito",
      nl: "Geen toegang vanuit de viewer van deze site",
    },
    note: {
      en: "The images are on another site, which gives viewers here no access. Those who run that site can allow it.",
      de: "Die Bilder liegen auf einer anderen Website, die Betrachtern hier keinen Zugang gibt. Wer sie betreibt, kann es erlauben.",
      fr: "Les images se trouvent sur un autre site, qui ne donne pas accès aux visionneuses d’ici. Ses responsables peuvent l’autoriser.",
      es: "Las imágenes están en otro sitio, que no da acceso a los visores de aquí. Sus responsables pueden permitirlo.",
      it: "Le immagini si trovano su un altro sito, che non dà accesso ai visualizzatori di qui. Chi lo gestisce può consentirlo.",
      nl: "De afbeeldingen staan op een andere site, die viewers hier geen toegang geeft. De beheerders daarvan kunnen het toestaan.",
    },
    elsewhere: true,
  },
  missing: {
    heading: {
      en: "Your login did not arrive",
      de: "Ihre Anmeldung ist nicht angekommen",
      fr: "Votre connexion n’est pas arrivée",
      es: "Su inicio de sesión no ha llegado",
      it: "Il suo accesso non è arrivato",
      nl: "Uw login is niet aangekomen",
    },
    note: {
      en: "Your browser sent no login with the viewer’s request. Log in. If you have just done so, your browser blocks cookies of other sites within this page: allow them for the site where you logged in.",
      de: "Ihr Browser hat mit der Anfrage des Betrachters keine Anmeldung gesendet. Melden Sie sich an. Haben Sie das gerade getan, so sperrt Ihr Browser auf dieser Seite die Cookies anderer Websites: Erlauben Sie sie für die Website, auf der Sie sich angemeldet haben.",
      fr: "Votre navigateur n’a envoyé aucune connexion avec la demande de la visionneuse. Connectez-vous. Si vous venez de le faire, votre navigateur bloque dans cette page les cookies d’autres sites : autorisez-les pour le site où vous vous êtes connecté.",
      es: "Su navegador no ha enviado ninguna sesión con la petición del visor. Inicie sesión. Si acaba de hacerlo, su navegador bloquea en esta página las cookies de otros sitios: permítalas para el sitio en el que ha iniciado sesión.",
      it: "Il suo browser non ha inviato alcun accesso con la richiesta del visualizzatore. Acceda. Se lo ha appena fatto, il suo browser blocca in questa pagina i cookie di altri siti: li consenta per il sito in cui ha effettuato l’accesso.",
      nl: "Uw browser heeft met de aanvraag van de viewer geen login meegestuurd. Log in. Hebt u dat net gedaan, dan blokkeert uw browser op deze pagina de cookies van andere sites: sta ze toe voor de site waar u hebt ingelogd.",
    },
    elsewhere: true,
  },
  away: {
    heading: {
      en: "No access from here",
      de: "Von hier kein Zugang",
      fr: "Pas d’accès depuis ce poste",
      es: "Sin acceso desde este equipo",
      it: "Nessun accesso da qui",
      nl: "Geen toegang vanaf hier",
    },
    note: {
      en: "Your login counts only at certain network addresses, such as those of a reading room, and you are not at one of them. Try again from there.",
      de: "Ihre Anmeldung gilt nur an bestimmten Netzwerkadressen, etwa im Lesesaal, und Ihre gehört nicht dazu. Versuchen Sie es dort noch einmal.",
      fr: "Votre connexion n’est valable qu’à certaines adresses réseau, comme celles d’une salle de lecture ; la vôtre n’en fait pas partie. Réessayez depuis ce lieu.",
      es: "Su inicio de sesión solo vale en determinadas direcciones de red, como las de una sala de lectura; la suya no es una de ellas. Inténtelo de nuevo desde allí.",
      it: "Il suo accesso vale solo a certi indirizzi di rete, come quelli di una sala di lettura; il suo non è tra questi. Riprovi da lì.",
      nl: "Uw login geldt alleen op bepaalde netwerkadressen, zoals die van een leeszaal; het uwe hoort daar niet bij. Probeer het daar opnieuw.",
    },
  },
  invalid: {
    heading: {
      en: "Your login is not known here",
      de: "Ihre Anmeldung ist hier nicht bekannt",
      fr: "Votre connexion est inconnue ici",
      es: "Su inicio de sesión no se conoce aquí",
      it: "Il suo accesso non è noto qui",
      nl: "Uw login is hier niet bekend",
    },
    note: {
      en: "Your browser sent a login that does not come from this service. Log in again.",
      de: "Ihr Browser hat eine Anmeldung gesendet, die nicht von diesem Dienst stammt. Melden Sie sich noch einmal an.",
      fr: "Votre navigateur a envoyé une connexion qui ne vient pas de ce service. Connectez-vous de nouveau.",
      es: "Su navegador ha enviado una sesión que no es de este servicio. Inicie sesión de nuevo.",
      it: "Il suo browser ha inviato un accesso che non proviene da questo servizio. Acceda di nuovo.",
      nl: "Uw browser heeft een login gestuurd die niet van deze dienst is. Log opnieuw in.",
    },
  },
  expired: {
    heading: {
      en: "Your login has ended",
      de: "Ihre Anmeldung ist abgelaufen",
      fr: "Votre connexion a pris fin",
      es: "Su sesión ha terminado",
      it: "Il suo accesso è scaduto",
      nl: "Uw login is verlopen",
    },
    note: {
      en: "Its time is over, or you have logged out. Log in again.",
      de: "Ihre Zeit ist vorbei, oder Sie haben sich abgemeldet. Melden Sie sich noch einmal an.",
      fr: "Sa durée est écoulée, ou vous vous êtes déconnecté. Connectez-vous de nouveau.",
      es: "Su tiempo ha pasado, o usted la ha cerrado. Inicie sesión de nuevo.",
      it: "Il suo tempo è finito, oppure lei è uscito. Acceda di nuovo.",
      nl: "De tijd ervan is voorbij, of u hebt uitgelogd. Log opnieuw in.",
    },
  },
  unavailable: {
    heading: {
      en: "Not available at the moment",
      de: "Zurzeit nicht verfügbar",
      fr: "Indisponible pour le moment",
      es: "No disponible en este momento",
      it: "Al momento non disponibile",
      nl: "Op dit moment niet beschikbaar",
    },
    note: {
      en: "Logins cannot be checked at the moment. Try again in a few minutes.",
      de: "Anmeldungen lassen sich gerade nicht prüfen. Versuchen Sie es in einigen Minuten noch einmal.",
      fr: "Les connexions ne peuvent pas être vérifiées pour le moment. Réessayez dans quelques minutes.",
      es: "En este momento no se pueden comprobar las sesiones. Inténtelo de nuevo en unos minutos.",
      it: "Al momento gli accessi non si possono verificare. Riprovi fra qualche minuto.",
      nl: "Logins kunnen op dit moment niet worden gecontroleerd. Probeer het over een paar minuten opnieuw.",
    },
  },
} as const satisfies Readonly<Record<string, FaultTexts>>;

/** A fault with texts. */
export type SaidFault = keyof typeof faults;

/**
 * Returns heading and note of a fault by language, those of the reader first, since some viewers show the
 * first. `view`: address of the service's own viewer, if it has one.
 */
export function tokenTexts(
  fault: SaidFault,
  view: string | undefined,
  language: TextLanguage = "en",
): { readonly heading: LanguageMap; readonly note: LanguageMap } {
  const { heading, note, elsewhere }: FaultTexts = faults[fault];
  const languages = [...new Set([language, ...(Object.keys(heading) as TextLanguage[])])];
  const byLanguage = (text: (language: TextLanguage) => string): LanguageMap =>
    Object.fromEntries(languages.map((language) => [language, [text(language)]]));
  return {
    heading: byLanguage((language) => heading[language]),
    note: byLanguage((language) =>
      elsewhere && view !== undefined
        ? `${note[language]} ${instead[language].replace("{view}", () => view)}`
        : note[language],
    ),
  };
}
