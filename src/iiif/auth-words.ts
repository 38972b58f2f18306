// Texts of the authorization services in all their languages, for readers who see them in a viewer.

/** Texts by language tag (Presentation API 3.0, section 4). */
export type LanguageMap = Readonly<Record<string, readonly string[]>>;

/** Texts of the services and of probe responses. */
export const words = {
  access: { en: ["Access"], de: ["Zugang"], fr: ["Accès"], es: ["Acceso"], it: ["Accesso"], nl: ["Toegang"] },
  signIn: {
    en: ["Sign in"],
    de: ["Anmelden"],
    fr: ["Se connecter"],
    es: ["Iniciar sesión"],
    it: ["Accedi"],
    nl: ["Inloggen"],
  },
  proceed: {
    en: ["Continue"],
    de: ["Weiter"],
    fr: ["Continuer"],
    es: ["Continuar"],
    it: ["Continua"],
    nl: ["Doorgaan"],
  },
  refused: {
    en: ["No access"],
    de: ["Kein Zugang"],
    fr: ["Accès refusé"],
    es: ["Sin acceso"],
    it: ["Accesso negato"],
    nl: ["Geen toegang"],
  },
  onlyThere: {
    en: [
      "This is open only at certain network addresses, such as those of a reading room, and you are not at one of them. Try again from there.",
    ],
    de: [
      "Das ist nur an bestimmten Netzwerkadressen zugänglich, etwa im Lesesaal, und Ihre gehört nicht dazu. Versuchen Sie es dort noch einmal.",
    ],
    fr: [
      "L’accès n’est ouvert qu’à certaines adresses réseau, comme celles d’une salle de lecture ; la vôtre n’en fait pas partie. Réessayez depuis ce lieu.",
    ],
    es: [
      "Solo se puede acceder desde determinadas direcciones de red, como las de una sala de lectura; la suya no es una de ellas. Inténtelo de nuevo desde allí.",
    ],
    it: [
      "L’accesso è consentito solo da certi indirizzi di rete, come quelli di una sala di lettura; il suo non è tra questi. Riprovi da lì.",
    ],
    nl: [
      "Dit is alleen toegankelijk vanaf bepaalde netwerkadressen, zoals die van een leeszaal; het uwe hoort daar niet bij. Probeer het daar opnieuw.",
    ],
  },
  thereOrLogIn: {
    en: [
      "Without a login this is open only at certain network addresses, such as those of a reading room, and you are not at one of them. Log in, or try again from there.",
    ],
    de: [
      "Ohne Anmeldung ist das nur an bestimmten Netzwerkadressen zugänglich, etwa im Lesesaal, und Ihre gehört nicht dazu. Melden Sie sich an, oder versuchen Sie es dort noch einmal.",
    ],
    fr: [
      "Sans connexion, l’accès n’est ouvert qu’à certaines adresses réseau, comme celles d’une salle de lecture ; la vôtre n’en fait pas partie. Connectez-vous, ou réessayez depuis ce lieu.",
    ],
    es: [
      "Sin iniciar sesión, solo se puede acceder desde determinadas direcciones de red, como las de una sala de lectura; la suya no es una de ellas. Inicie sesión, o inténtelo de nuevo desde allí.",
    ],
    it: [
      "Senza accedere con un account, l’accesso è consentito solo da certi indirizzi di rete, come quelli di una sala di lettura; il suo non è tra questi. Acceda, o riprovi da lì.",
    ],
    nl: [
      "Zonder in te loggen is dit alleen toegankelijk vanaf bepaalde netwerkadressen, zoals die van een leeszaal; het uwe hoort daar niet bij. Log in, of probeer het daar opnieuw.",
    ],
  },
  later: {
    en: ["Not available at the moment"],
    de: ["Zurzeit nicht verfügbar"],
    fr: ["Indisponible pour le moment"],
    es: ["No disponible en este momento"],
    it: ["Al momento non disponibile"],
    nl: ["Op dit moment niet beschikbaar"],
  },
  unusable: {
    en: ["This image cannot be shown"],
    de: ["Dieses Bild kann nicht gezeigt werden"],
    fr: ["Cette image ne peut pas être affichée"],
    es: ["Esta imagen no se puede mostrar"],
    it: ["Questa immagine non può essere mostrata"],
    nl: ["Deze afbeelding kan niet worden getoond"],
  },
  noImage: {
    en: ["There is no such image"],
    de: ["Dieses Bild gibt es nicht"],
    fr: ["Cette image n’existe pas"],
    es: ["Esa imagen no existe"],
    it: ["Questa immagine non esiste"],
    nl: ["Deze afbeelding bestaat niet"],
  },
  checkAddress: {
    en: ["It may have been moved or renamed. Check the link, or tell those who gave it to you."],
    de: [
      "Vielleicht wurde es verschoben oder umbenannt. Prüfen Sie den Link, oder fragen Sie dort nach, wo Sie ihn gefunden haben.",
    ],
    fr: [
      "Elle a peut-être été déplacée ou renommée. Vérifiez le lien, ou prévenez les personnes qui vous l’ont donné.",
    ],
    es: [
      "Puede que la hayan movido o le hayan cambiado el nombre. Compruebe el enlace, o avise a quien se lo dio.",
    ],
    it: ["Forse è stata spostata o rinominata. Controlli il link, oppure avvisi chi glielo ha dato."],
    nl: [
      "Misschien is ze verplaatst of hernoemd. Controleer de link, of meld het aan degene van wie u hem hebt.",
    ],
  },
  logOut: {
    en: ["Log out"],
    de: ["Abmelden"],
    fr: ["Se déconnecter"],
    es: ["Cerrar sesión"],
    it: ["Esci"],
    nl: ["Uitloggen"],
  },
} as const satisfies Readonly<Record<string, LanguageMap>>;
